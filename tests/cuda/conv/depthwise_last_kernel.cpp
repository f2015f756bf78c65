#include "weft/cuda/conv/depthwise_last_kernel.hpp"

#include <weft/cuda/conv/depthwise_last_grid.hpp>
#include <weft/cuda/conv/depthwise_last_weights_kernel.hpp>

#include "test.hpp"

using namespace weft;

TEST_CASE("a thread's outputs fill whole groups") {
  const weft::cuda::DepthwiseLastGrid<float> grid{};
  CHECK(grid.weight == nullptr);
  CHECK(weft::cuda::depthwise_outputs > 1);
}
