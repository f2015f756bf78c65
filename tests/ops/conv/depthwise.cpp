#include "weft/ops/conv/depthwise.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("a filter for each channel is as many convolutions", D, TEST_DEVICES) {
  const auto x = test::image<float, D>({2, 3, 9, 8});
  const auto w = test::image<float, D>({6, 1, 3, 5}, 1);
  const ConvOptions o{.stride = {2, 1}, .padding = {1, 2}};
  const Tensor y = conv2d(x, w, {.stride = {2, 1}, .padding = {1, 2}, .groups = 3});
  for (int64_t c = 0; c < 3; ++c) {
    const Tensor one = conv2d(x(all, slice(c, c + 1)), w(slice(2 * c, 2 * c + 2)), o);
    CHECK(allclose(y(all, slice(2 * c, 2 * c + 2)), one, {1e-5, 1e-5}));
  }
}
