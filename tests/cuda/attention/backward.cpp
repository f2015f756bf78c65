#include "weft/cuda/attention/backward.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a block's tiles fit into the shared memory that every GPU since 7.0 has") {
  static_assert(weft::cuda::backward_room<float, 128>(2) * sizeof(float) <= 96 * 1024);
  static_assert(weft::cuda::backward_room<double, 128>(2) * sizeof(double) <= 96 * 1024);
  CHECK(weft::cuda::backward_room<float, 64>(1) == 128 * 65 + 32 * 33);
}
