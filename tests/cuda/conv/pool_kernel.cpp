#include "weft/cuda/conv/pool_kernel.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE("[gpu] more images than one block has threads, some of them in a last block") {
  const auto x = test::image<float, Cuda>({7, 4, 10, 36});
  const MaxPoolOptions halves{.stride = 2, .padding = 1};
  CHECK(equal(max_pool2d(x, 3, halves).to(Cpu{}), max_pool2d(x.to(Cpu{}), 3, halves)));
  const auto last = channels_last(x);
  CHECK(equal(max_pool2d(last, 5, {.stride = 3, .padding = 2}).to(Cpu{}),
              max_pool2d(x.to(Cpu{}), 5, {.stride = 3, .padding = 2})));
}
