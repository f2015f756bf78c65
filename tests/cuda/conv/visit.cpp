#include "weft/cuda/conv/visit.hpp"

#include "cuda/graph_nodes.hpp"
#include "images.hpp"

using namespace weft;

TEST_CASE("[gpu] a pooling is one kernel") {
  const auto x = test::image<float, Cuda>({2, 4, 9, 8});
  max_pool2d(x, 3);
  CHECK(captured([&] { max_pool2d(x, 3); }).kernels == 1);
}
