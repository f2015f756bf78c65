#include "weft/nn/models/vgg.hpp"

#include "nn/models/models.hpp"

using namespace weft;
namespace models = nn::models;

TEST_CASE_TEMPLATE("VGG-11 has torchvision's names and logits", D, TEST_DEVICES) {
  test::compare_names("vgg11", models::Vgg11<D>(models::VggOptions{}));
  models::Vgg11<D> thin({.classes = 5, .width = 2, .hidden = 8});
  test::compare_logits<D>("vgg11", thin);
}
