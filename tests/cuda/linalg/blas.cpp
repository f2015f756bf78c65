// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/linalg/blas.hpp>

#include "test.hpp"

using weft::Cuda;
using namespace weft::on_cuda::detail;

namespace {
LtProblem square(std::int64_t n) {
  LtProblem p;
  p.in = p.out = p.scale = CUDA_R_32F;
  p.compute = CUBLAS_COMPUTE_32F;
  p.m = p.n = p.k = n;
  for (std::int64_t& step : p.step) step = n;
  for (std::int64_t& bytes : p.align) bytes = 256;
  return p;
}
}  // namespace

TEST_CASE("errors name the status") {
  CHECK_SAYS(
      "[matmul] CUBLAS_STATUS_NOT_SUPPORTED: of shape (2, 3)",
      weft::cuda::check(CUBLAS_STATUS_NOT_SUPPORTED, "matmul", "of shape ", weft::Shape{2, 3}));
  weft::cuda::check(CUBLAS_STATUS_SUCCESS, "matmul");
}

TEST_CASE("a problem is compared as bytes, without gaps") {
  static_assert(sizeof(LtProblem) % sizeof(std::int64_t) == 0);
  static_assert(std::has_unique_object_representations_v<LtProblem>);
}

TEST_CASE("algorithms are asked for once [gpu]") {
  const LtHandle handle(0);
  const LtProblem p = square(96);
  LtDescription lt(p, nullptr);
  const LtChoice first = choose_lt(handle, lt, p, Cuda{0});
  REQUIRE(first.found);
  int same = 0;
  const LtDevice& device = lt_devices[0];
  for (int i = 0; i < LtDevice::sets * LtDevice::ways; ++i) {
    const LtChoice& choice = device.choices[i];
    same += choice.used && __builtin_memcmp(&choice.problem, &p, sizeof(p)) == 0;
  }
  CHECK(same == 1);
  const LtChoice second = choose_lt(handle, lt, p, Cuda{0});
  CHECK(__builtin_memcmp(&first.algorithm, &second.algorithm, sizeof(first.algorithm)) == 0);
  for (std::int64_t n = 1; n < 1500; ++n) {
    const LtProblem other = square(n);
    LtDescription description(other, nullptr);
    CHECK(choose_lt(handle, description, other, Cuda{0}).found);
  }
}

TEST_CASE("handles go back and are used again [gpu]") {
  cublasLtHandle_t first = nullptr;
  {
    const LtHandle handle(0);
    const LtHandle other(0);
    first = other;
    CHECK(first != nullptr);
    CHECK(static_cast<cublasLtHandle_t>(handle) != nullptr);
  }
  const LtHandle one(0);
  const LtHandle two(0);
  CHECK(
      (static_cast<cublasLtHandle_t>(one) == first || static_cast<cublasLtHandle_t>(two) == first));
}
