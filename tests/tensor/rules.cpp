// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/rules.hpp>

#include "test.hpp"

using namespace weft;

// What breaks a rule does not compile: tests/must_not_compile has a program for each.
static_assert(detail::is_element<bool>() && detail::is_element<complex<double>>());
static_assert(detail::can_become<float, Cpu, Tensor<float>>());
static_assert(detail::can_become<const weft::half, Cpu, Tensor<weft::half>>());
static_assert(detail::can_become<float, Cuda, Tensor<float, CudaAt<1>>>());
static_assert(detail::can_become<float, CudaAt<1>, Tensor<float, Cuda>>());
static_assert(detail::can_become<float, Cuda, Scalar<float>>());
static_assert(detail::can_share<const float, float>() && detail::can_share<int, int>());
static_assert(detail::can_write<float, int>() && detail::can_write<int, Tensor<int>&>());
static_assert(detail::is_index<int>() && detail::is_index<unsigned char>());
static_assert(detail::is_reachable<Cpu>() && detail::is_included<Cpu>());
static_assert(detail::is_device<Cpu>() && detail::is_device<CudaAt<3>>());

static_assert(MistakenOperand<const char (&)[4]> && MistakenOperand<float*>);
static_assert(MistakenOperand<std::vector<float>> && MistakenOperand<long double&>);
static_assert(!MistakenOperand<Tensor<float>> && !MistakenOperand<const weft::half&>);
static_assert(!MistakenOperand<Cpu>);

TEST_CASE("a tensor that shares the elements of another sees what is written to them") {
  auto x = ones({2});
  Tensor<const float> y = x;
  Tensor<float> z;
  z = x;
  z(0) = 3;
  CHECK(y.at(0) == 3);
}
