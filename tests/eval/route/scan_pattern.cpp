// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/route/scan_pattern.hpp>

#include "test.hpp"
#include "weft/weft.hpp"

using weft::axis;
using weft::Tensor;

namespace {

template <class F, class... Ts>
using Of = std::remove_cvref_t<std::invoke_result_t<F, const Ts&...>>;

/// Whether F of a tensor of T on D is finished in the kernel of its scan.
template <class D = weft::Cuda, class T = float, class F>
constexpr bool finishes(F) {
  return weft::detail::finishes_scan<Of<F, Tensor<T, D>>>;
}

}  // namespace

TEST_CASE("element-wise readers of a scan are finished in its kernel") {
  CHECK(finishes([](const auto& x) { return cumsum(x, axis(1)) * 2 + x; }));
  CHECK(finishes([](const auto& x) { return x - cumsum(x * x, axis(1)); }));
  CHECK(finishes([](const auto& x) { return cumsum(x, axis(0)) * cumsum(x, axis(0)); }));
  CHECK(finishes<weft::Cuda, double>([](const auto& x) { return exp(cumprod(x, axis(1))); }));
}

TEST_CASE("scans by themselves, on a CPU, or of what is computed before are not") {
  CHECK_FALSE(finishes([](const auto& x) { return cumsum(x, axis(1)); }));
  CHECK_FALSE(finishes([](const auto& x) { return x * 2; }));
  CHECK_FALSE(finishes([](const auto& x) { return softmax(cumsum(x, axis(1)), axis(1)); }));
  CHECK_FALSE(finishes([](const auto& x) { return cumsum(softmax(x, axis(1)), axis(1)) + x; }));
  CHECK_FALSE(finishes<weft::Cpu>([](const auto& x) { return cumsum(x, axis(1)) * 2; }));
  CHECK_FALSE(finishes<weft::Cuda, weft::half>(
      [](const auto& x) { return cumsum(x * x, axis(1)) + weft::half(1); }));
}

TEST_CASE("the first scan is found, left to right") {
  const auto x = weft::tensor({{1.0F, 2.0F}});
  const auto e = exp(x) + cumprod(x, axis(1)) * cumsum(x, axis(1));
  using Found = weft::detail::FirstScan<std::remove_cvref_t<decltype(e)>>;
  CHECK(
      std::is_same_v<Found::type,
                     Of<decltype([](const auto& t) { return cumprod(t, axis(1)); }), decltype(x)>>);
  CHECK(Found::in(e).axis() == 1);
  CHECK(std::is_void_v<weft::detail::FirstScan<std::remove_cvref_t<decltype(exp(x))>>::type>);
}
