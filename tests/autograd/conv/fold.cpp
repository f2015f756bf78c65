#include "weft/autograd/conv/fold.hpp"

#include "image_vectors.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("unfold and fold are PyTorch's, and their gradients", D, TEST_DEVICES) {
  const UnfoldOptions o{.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}};
  test::compare_images<D>("unfold", [&](const auto& x) { return unfold(x, {3, 2}, o); });
  test::compare_image<D>("fold", test::images<double, D>("fold.x"), [&](const auto& x) {
    return fold(x, {5, 6}, {3, 2}, o);
  });
}
