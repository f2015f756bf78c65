#include "weft/cuda/attention/forward.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a block's tiles fit into the shared memory that every GPU since 7.0 has") {
  static_assert(weft::cuda::forward_room<float, 128>() * sizeof(float) <= 96 * 1024);
  static_assert(weft::cuda::forward_room<double, 128>() * sizeof(double) <= 96 * 1024);
  CHECK(weft::cuda::forward_room<float, 64>() == 96 * 65 + 64 * 33);
}
