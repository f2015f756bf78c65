// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/error.hpp>

#include "test.hpp"

using weft::cuda::check;

TEST_CASE("check lets success pass") { CHECK_NOTHROW(check(cudaSuccess, "copy")); }

TEST_CASE("check names operation, error and details") {
  CHECK_SAYS("[copy] cudaErrorInvalidValue: invalid argument, 3 rows of x",
             check(cudaErrorInvalidValue, "copy", 3, " rows of x"));
  CHECK_THROWS_AS(check(cudaErrorInvalidValue, "copy"), weft::DeviceError);
  CHECK(test::message([] { check(cudaErrorInvalidValue, "copy"); }) ==
        "[copy] cudaErrorInvalidValue: invalid argument");
}

TEST_CASE("check makes OutOfMemory of a failed allocation") {
  CHECK_THROWS_AS(check(cudaErrorMemoryAllocation, "copy"), weft::OutOfMemory);
}

TEST_CASE("[gpu] an error that weft has reported is not reported again") {
  CHECK_SAYS("[memset] cudaErrorInvalidValue", check(cudaMemset(nullptr, 0, 1), "memset"));
  CHECK(cudaGetLastError() == cudaSuccess);
}
