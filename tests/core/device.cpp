// SPDX-License-Identifier: Apache-2.0
#include <weft/core/device.hpp>

#include "test.hpp"

using namespace weft;

template <class A, class B, class C>
inline constexpr bool common =
    std::is_same_v<common_device_t<A, B>, C>&& std::is_same_v<common_device_t<B, A>, C>;

static_assert(Device<Cpu> && Device<Cuda> && Device<CudaAt<3>>);
static_assert(!Device<AnyDevice> && !Device<NoDevice> && !Device<int>);
static_assert(is_cuda<Cuda> && is_cuda<CudaAt<0>> && !is_cuda<Cpu> && !is_cuda<AnyDevice>);
static_assert(common<Cpu, Cpu, Cpu> && common<Cuda, Cuda, Cuda> && common<Cpu, Cuda, NoDevice>);
static_assert(common<Cpu, CudaAt<0>, NoDevice> && common<Cuda, CudaAt<1>, Cuda>);
static_assert(common<CudaAt<1>, CudaAt<1>, CudaAt<1>> && common<CudaAt<0>, CudaAt<1>, NoDevice>);
static_assert(common<Cpu, AnyDevice, Cpu> && common<CudaAt<2>, AnyDevice, CudaAt<2>>);
static_assert(common<AnyDevice, AnyDevice, AnyDevice>);

TEST_CASE("devices are values") {
  CHECK(Cpu{} == Cpu{});
  CHECK(Cuda{1} == Cuda{1});
  CHECK_FALSE(Cuda{} == Cuda{0});
  CHECK(Cuda(CudaAt<2>{}) == Cuda{2});
}

TEST_CASE("and have names") {
  CHECK(text(Cpu{}) == "cpu");
  CHECK(text(Cuda{}) == "cuda");
  CHECK(text(Cuda{1}) == "cuda:1");
  CHECK(text(CudaAt<3>{}) == "cuda:3");
}

TEST_CASE_TEMPLATE("a tensor knows its device", D, TEST_DEVICES) {
  const auto x = ones({2}, D{});
  static_assert(std::is_same_v<decltype(x.device()), D>);
  static_assert(std::is_same_v<typename decltype(x + x)::device_type, D>);
  if constexpr (is_cuda<D>) {
    CHECK(x.device().ordinal >= 0);
    CHECK((x + x).eval().device() == x.device());
  } else {
    CHECK(x.device() == D{});
  }
}
