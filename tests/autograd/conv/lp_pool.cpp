#include "weft/autograd/conv/lp_pool.hpp"

#include "image_vectors.hpp"

using namespace weft;
using test::compare_images;

TEST_CASE_TEMPLATE("lp_pool is PyTorch's, and its gradient", D, TEST_DEVICES) {
  compare_images<D>("lp_pool1d", [](const auto& x) { return lp_pool1d(x, 3, 3, {.stride = 2}); });
  compare_images<D>("lp_pool2d", [](const auto& x) {
    return lp_pool2d(x, 2, {3, 2}, {.stride = 2});
  });
  compare_images<D>("lp_pool2d_ceil", [](const auto& x) {
    return lp_pool2d(x, 1.5, 3, {.stride = 2, .ceil_mode = true});
  });
  compare_images<D>("lp_pool3d", [](const auto& x) { return lp_pool3d(x, 3, 2, {.stride = 1}); });

  const Var x = parameter(zeros<double>({1, 1, 4}, D{}));
  sum(lp_pool1d(x, 2, 2)).backward();
  CHECK(x.grad().to_vector() == std::vector<double>(4));  // not 0 / 0
}
