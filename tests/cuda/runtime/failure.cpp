// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/runtime/failure.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;

namespace {
__global__ void gather(Failure* failure, const char* operation, int ordinal, int size) {
  const int index = static_cast<int>(threadIdx.x) + 3;
  if (index >= size) report_failure(failure, operation, ordinal, index, -size, size - 1);
}
}  // namespace

TEST_CASE("no failure is reported where there is none") { CHECK_NOTHROW(check_failures()); }

TEST_CASE("[nogpu] without a GPU there is no failure record") {
  CHECK_SAYS("[cuda] no CUDA device is available", failure_flag());
}

TEST_CASE("[gpu] a kernel's failure is thrown once, at the next synchronisation") {
  const Stream stream;
  gather<<<1, 32, 0, stream>>>(failure_flag(), "take", current_device(), 34);
  CHECK_SAYS("[take] index 34 is out of range on cuda:0, expected -34 to 33", stream.synchronize());
  CHECK_NOTHROW(stream.synchronize());
  gather<<<1, 1, 0, stream>>>(failure_flag(), "take", current_device(), 34);
  CHECK_NOTHROW(stream.synchronize());
  gather<<<4, 256, 0, stream>>>(failure_flag(), "take", current_device(), 5);
  CHECK_THROWS_AS(stream.synchronize(), weft::IndexError);
  CHECK_NOTHROW(check_failures());
}
