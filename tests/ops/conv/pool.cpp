#include "weft/ops/conv/pool.hpp"

#include <limits>

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("max_pool2d_with_indices says where", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{1, 5, 2, 5, 3, 0, 4, 1}, {1, 1, 2, 4}).to(D{});
  const auto found = max_pool2d_with_indices(x, 2);
  CHECK(found.values.to_vector() == std::vector<float>{5, 5});
  CHECK(found.indices.to_vector() == std::vector<int64_t>{1, 3});
  const Tensor single = max_pool2d(x(0), 2);  // without a batch
  CHECK(single.shape() == Shape{1, 1, 2});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor odd = tensor(std::vector<float>{1, nan, 3, 2}, {1, 1, 4}).to(D{});
  CHECK(count_nonzero(isnan(max_pool1d(odd, 2))).item() == 1);
}

TEST_CASE_TEMPLATE("half types are pooled in float", D, TEST_DEVICES) {
  const auto x = test::image<bfloat16, D>({2, 4, 6, 6});
  const Tensor<float, D> wide = cast<float>(x);
  CHECK(allclose(cast<float>(avg_pool2d(x, 3)), avg_pool2d(wide, 3), {1e-2, 1e-2}));
  CHECK(equal(cast<float>(max_pool2d(x, 2)), max_pool2d(wide, 2)));
  CHECK(is_channels_last(max_pool2d(channels_last(x), 2)));
}

TEST_CASE_TEMPLATE("pooling refuses what does not fit", D, TEST_DEVICES) {
  const Tensor x = zeros({1, 2, 4, 4}, D{});
  CHECK_SAYS("[max_pool2d] padding 2 with a kernel of 3", max_pool2d(x, 3, {.padding = 2}));
  CHECK_SAYS("reaches over 5 of 4 places", avg_pool2d(x, 5));
  CHECK_SAYS("with 3 spatial axes", max_pool3d(x.reshape({2, 4, 4}), 2));
  CHECK_SAYS("expected elements", adaptive_avg_pool2d(zeros({1, 2, 0, 4}, D{}), 1));
  CHECK(avg_pool2d(zeros({0, 2, 4, 4}, D{}), 2).shape() == Shape{0, 2, 2, 2});
}
