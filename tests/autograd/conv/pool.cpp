#include "weft/autograd/conv/pool.hpp"

#include "image_vectors.hpp"

using namespace weft;
using test::compare_images;

TEST_CASE_TEMPLATE("max pooling is PyTorch's, and its gradient", D, TEST_DEVICES) {
  compare_images<D>("max_pool1d",
                    [](const auto& x) { return max_pool1d(x, 3, {.stride = 2, .padding = 1}); });
  compare_images<D>("max_pool2d",
                    [](const auto& x) { return max_pool2d(x, 3, {.stride = 2, .padding = 1}); });
  compare_images<D>("max_pool2d_dilated", [](const auto& x) {
    return max_pool2d(x, 2, {.stride = 1, .padding = 1, .dilation = 2});
  });
  compare_images<D>("max_pool2d_ceil", [](const auto& x) {
    return max_pool2d(x, 3, {.stride = 2, .padding = 1, .ceil_mode = true});
  });
  compare_images<D>("max_pool3d", [](const auto& x) { return max_pool3d(x, 2); });
  compare_images<D>("adaptive_max_pool2d", [](const auto& x) {
    return adaptive_max_pool2d(x, {3, 5});
  });
}

TEST_CASE_TEMPLATE("average pooling is PyTorch's, and its gradient", D, TEST_DEVICES) {
  compare_images<D>("avg_pool1d",
                    [](const auto& x) { return avg_pool1d(x, 4, {.stride = 2, .padding = 1}); });
  compare_images<D>("avg_pool2d",
                    [](const auto& x) { return avg_pool2d(x, 3, {.stride = 2, .padding = 1}); });
  compare_images<D>("avg_pool2d_inside", [](const auto& x) {
    return avg_pool2d(x, 3,
                      {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false});
  });
  compare_images<D>("avg_pool2d_ceil", [](const auto& x) {
    return avg_pool2d(x, 3, {.stride = 2, .padding = 1, .ceil_mode = true});
  });
  compare_images<D>("avg_pool2d_divisor", [](const auto& x) {
    return avg_pool2d(x, {2, 3}, {.divisor = 5});
  });
  compare_images<D>("avg_pool3d", [](const auto& x) { return avg_pool3d(x, 2, {.stride = 1}); });
  compare_images<D>("adaptive_avg_pool1d", [](const auto& x) { return adaptive_avg_pool1d(x, 4); });
  compare_images<D>("adaptive_avg_pool2d", [](const auto& x) {
    return adaptive_avg_pool2d(x, {3, 5});
  });
  compare_images<D>("adaptive_avg_pool3d", [](const auto& x) {
    return adaptive_avg_pool3d(x, {1, 2, 2});
  });
}

TEST_CASE_TEMPLATE("the gradient of a pooled expression goes through it", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({2, 3, 4, 4}));
  CHECK(gradcheck([](const auto& v) { return avg_pool2d(tanh(v) * 2.0, 2); }, x));
}
