#include "weft/cuda/conv/depthwise_planes_kernel.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a thread's outputs fill whole groups") {
  const weft::cuda::DepthwisePlanesGrid<float> grid{};
  CHECK(grid.weight == nullptr);
  CHECK(weft::cuda::depthwise_rows > 1);
}
