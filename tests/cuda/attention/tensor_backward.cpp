#include "weft/cuda/attention/tensor_backward.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("tiles of the backward pass fit in shared memory") {
  CHECK(weft::cuda::tensor_backward_bytes<64>() < 99 << 10);
  CHECK(weft::cuda::tensor_backward_bytes<128>() < 163 << 10);
}
