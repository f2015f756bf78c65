#include "weft/cuda/attention/tensor_forward.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("tiles of the forward pass fit in shared memory") {
  CHECK(weft::cuda::tensor_forward_bytes<float, 64>() < 64 << 10);
  CHECK(weft::cuda::tensor_forward_bytes<float, 128>() < 99 << 10);
}
