#include "weft/ops/conv/fold.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("a product with unfolded images is a convolution", D, TEST_DEVICES) {
  const auto x = test::image<float, D>({2, 3, 6, 5});
  const auto w = test::image<float, D>({4, 3, 3, 3}, 1);
  const Tensor y = matmul(w.reshape({4, 27}), unfold(x, 3, {.padding = 1}));
  CHECK(allclose(y.reshape({2, 4, 6, 5}), conv2d(x, w, {.padding = 1}), {1e-5, 1e-5}));
  CHECK_SAYS("[fold] columns of shape (2, 27, 5), expected (batch, channel * 9, 30)",
             fold(zeros({2, 27, 5}, D{}), {6, 5}, 3, {.padding = 1}));
  CHECK_SAYS("[unfold] images of shape (3, 6, 5)", unfold(x(0), 3));
}
