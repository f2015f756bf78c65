#include "weft/autograd/conv/unpool.hpp"

#include "image_vectors.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("max_unpool is PyTorch's, and its gradient", D, TEST_DEVICES) {
  test::compare_images<D>("max_unpool2d", [](const auto& x) {
    const auto [largest, places] = max_pool2d_with_indices(x, 2);
    return max_unpool2d(largest, places, 2);
  });
  test::compare_images<D>("max_unpool1d", [](const auto& x) {
    const auto [largest, places] = max_pool1d_with_indices(x, 3, {.stride = 2});
    return max_unpool1d(largest, places, 3, {.stride = 2, .size = 8});
  });
}
