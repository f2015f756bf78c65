// SPDX-License-Identifier: Apache-2.0
#include <weft/core/ptx.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "test.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("single instructions on the GPU give what the CPU computes", D, TEST_DEVICES) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor<float, D> x =
      tensor<float>({0.F, -1.5F, 65519.F, 65520.F, 0x1.002p0F, 0x1.01p0F, -infinity}, D{});
  const Tensor<weft::half, D> halves = cast<weft::half>(x);
  CHECK(equal(cast<float>(halves),
              tensor<float>({0.F, -1.5F, 65504.F, infinity, 1.F, 0x1.01p0F, -infinity}, D{})));
  const Tensor<bfloat16, D> brains = cast<bfloat16>(x);
  CHECK(equal(cast<float>(brains),
              tensor<float>({0.F, -1.5F, 65536.F, 65536.F, 1.F, 1.F, -infinity}, D{})));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor<float, D> a = tensor<float>({1.F, nan, 2.F}, D{});
  const Tensor<float, D> b = tensor<float>({2.F, 1.F, nan}, D{});
  const auto larger = Tensor<float, D>(maximum(a, b)).to_vector();
  const auto smaller = Tensor<float, D>(minimum(a, b)).to_vector();
  CHECK((larger[0] == 2 && std::isnan(larger[1]) && std::isnan(larger[2])));
  CHECK((smaller[0] == 1 && std::isnan(smaller[1]) && std::isnan(smaller[2])));
}

#ifdef __CUDACC__
namespace {
namespace ptx = weft::detail::ptx;

__global__ void take_approximations(const float* x, float* y) {
  y[0] = ptx::rcp_approx(x[0]);
  y[1] = ptx::ex2_approx(x[1]);
  y[2] = ptx::lg2_approx(x[2]);
#if __CUDA_ARCH__ >= 800
  y[3] = __uint_as_float(ptx::cvt_tf32(x[3]));
#else
  y[3] = 0x1.004p0F;
#endif
}

/// Copies 28 bytes through shared memory by words of each size.
__global__ void copy_by_words(const char* from, char* to) {
#if __CUDA_ARCH__ >= 800
  __shared__ alignas(16) char room[32];
  const unsigned shared = ptx::shared_address(room);
  ptx::cp_async<16>(shared, from);
  ptx::cp_async<8>(shared + 16, from + 16);
  ptx::cp_async_commit();
  ptx::cp_async<4>(shared + 24, from + 24);
  ptx::cp_async_commit();
  ptx::cp_async_wait<1>();
  for (int i = 0; i < 24; ++i) to[i] = room[i];
  ptx::cp_async_wait_all();
  for (int i = 24; i < 28; ++i) to[i] = room[i];
#else
  for (int i = 0; i < 28; ++i) to[i] = from[i];
#endif
}
}  // namespace

TEST_CASE("approximations of exact results, and TF32 away from 0 [gpu]") {
  const Tensor<float, Cuda> x = tensor<float>({4.F, 3.F, 8.F, 0x1.002p0F}, Cuda{});
  auto y = zeros<float>({4}, Cuda{});
  take_approximations<<<1, 1, 0, weft::cuda::current_stream().handle()>>>(x.data(), y.data());
  CHECK(allclose(y, tensor<float>({0.25F, 8.F, 3.F, 0x1.004p0F}, Cuda{}), {0, 1e-6}));
}

TEST_CASE("asynchronous copies of 16, 8 and 4 bytes, in groups [gpu] [sanitize]") {
  const Tensor<std::uint8_t, Cuda> x = arange<std::uint8_t>(28, Cuda{});
  auto y = zeros<std::uint8_t>({28}, Cuda{});
  copy_by_words<<<1, 1, 0, weft::cuda::current_stream().handle()>>>(
      reinterpret_cast<const char*>(x.data()), reinterpret_cast<char*>(y.data()));
  CHECK(equal(y, x));
}
#endif
