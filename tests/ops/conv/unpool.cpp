#include "weft/ops/conv/unpool.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("max_unpool puts the largest elements back", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{1, 5, 2, 0, 3, 4}, {1, 1, 2, 3}).to(D{});
  const auto [largest, places] = max_pool2d_with_indices(x, {2, 1});
  CHECK(max_unpool2d(largest, places, {2, 1}).to_vector() == std::vector<float>{1, 5, 0, 0, 0, 4});
  const auto line = x.reshape({1, 1, 6});
  const auto pooled = max_pool1d_with_indices(line, 4, {.stride = 2});
  const auto& top = pooled.values;
  const auto& at = pooled.indices;
  CHECK(max_unpool1d(top, at, 4, {.stride = 2, .size = 7}).to_vector() ==
        std::vector<float>{0, 5, 0, 0, 0, 4, 0});
  CHECK(max_unpool3d(ones({1, 1, 1, 1, 1}, D{}), zeros<int64_t>({1, 1, 1, 1, 1}, D{}), 2).shape() ==
        Shape{1, 1, 2, 2, 2});
  CHECK_SAYS(
      "[max_unpool1d] an input of shape (1, 1, 2) to size 9 along spatial axis 0, expected "
      "one above 4 and below 8",
      max_unpool1d(top, at, 4, {.stride = 2, .size = 9}));
  CHECK_SAYS("and indices of shape (1, 1, 1)", max_unpool1d(top, at.narrow(2, 0, 1), 4));
}
