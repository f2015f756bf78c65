#include "weft/nn/layers/pool.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("layers without parameters are their functions", D, TEST_DEVICES) {
  const auto x = test::image<float, D>({2, 4, 6, 8});
  CHECK(equal(nn::MaxPool2d{3, {.stride = 2}}(x), max_pool2d(x, 3, {.stride = 2})));
  CHECK(equal(nn::AvgPool2d{2}(x), avg_pool2d(x, 2)));
  CHECK(equal(nn::AdaptiveAvgPool2d{{3, 2}}(x), adaptive_avg_pool2d(x, {3, 2})));
  CHECK(equal(nn::LPPool2d{2, 3}(x), lp_pool2d(x, 2, 3)));
  const auto [largest, places] = max_pool2d_with_indices(x, 2);
  CHECK(equal(nn::MaxUnpool2d{2}(largest, places), max_unpool2d(largest, places, 2)));
  CHECK(nn::Upsample{{.scale = 2}}(x).shape() == Shape{2, 4, 12, 16});
  CHECK(equal(nn::PixelUnshuffle{2}(nn::PixelShuffle{2}(x)), x));
  CHECK(nn::Pad{{1, 1}, PadMode::reflect}(x).shape() == Shape{2, 4, 6, 10});
}
