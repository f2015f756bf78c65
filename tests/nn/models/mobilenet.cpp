#include "weft/nn/models/mobilenet.hpp"

#include "nn/models/models.hpp"

using namespace weft;
namespace models = nn::models;

TEST_CASE_TEMPLATE("MobileNetV3 has torchvision's names and logits", D, TEST_DEVICES) {
  test::compare_names("mobilenet_v3_small", models::mobilenet_v3_small<D>());
  test::compare_names("mobilenet_v3_large", models::mobilenet_v3_large<D>());
  auto thin = models::mobilenet_v3_small<D>({.classes = 5, .width = 0.1});
  test::compare_logits<D>("mobilenet_v3_small", thin);
  auto large = models::mobilenet_v3_large<D>({.classes = 5, .width = 0.1});
  test::compare_logits<D>("mobilenet_v3_large", large);
}
