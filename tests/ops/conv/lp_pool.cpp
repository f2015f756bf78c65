#include "weft/ops/conv/lp_pool.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("lp_pool is the norm of each window", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{3, 4, 0, 0, 5, 12}, {1, 1, 6}).to(D{});
  CHECK(lp_pool1d(x, 2, 2).to_vector() == std::vector<float>{5, 0, 13});
  CHECK(lp_pool1d(x.squeeze(0), 1, 3, {.stride = 3}).to_vector() == std::vector<float>{7, 17});
  const auto images = test::image<weft::half, D>({2, 3, 4, 5});
  CHECK(lp_pool2d(channels_last(images), 2, {2, 3}, {.ceil_mode = true}).shape() ==
        Shape{2, 3, 2, 2});
  CHECK(lp_pool3d(ones({1, 1, 2, 2, 2}, D{}), 3, 2).to_vector() == std::vector<float>{2});
  CHECK_SAYS("[lp_pool1d] a norm of power 0", lp_pool1d(x, 0, 2));
  CHECK_SAYS("[lp_pool2d] an input of shape (6,)", lp_pool2d(x.reshape({6}), 2, 2));
}
