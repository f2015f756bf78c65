#include "weft/cuda/window.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE("[gpu] pooling needs no library") {
  const auto x = test::image<float, Cuda>({2, 4, 9, 8});
  CHECK(equal(max_pool2d(x, 3).to(Cpu{}), max_pool2d(x.to(Cpu{}), 3)));
}
