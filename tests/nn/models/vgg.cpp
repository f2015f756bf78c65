#include "weft/nn/models/vgg.hpp"

#include "nn/models/models.hpp"

using namespace weft;
namespace models = nn::models;

TEST_CASE_TEMPLATE("VGG-11 has torchvision's names", D, TEST_DEVICES) {
  test::compare_names("vgg11", models::Vgg11<D>(models::VggOptions{}));
  const models::Vgg11<D> thin({.classes = 3, .width = 2, .hidden = 8, .dropout = 0});
  CHECK(thin(Var(test::image<float, D>({2, 3, 32, 32}))).shape() == Shape{2, 3});
}
