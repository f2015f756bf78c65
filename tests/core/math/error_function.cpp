// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/error_function.hpp>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("error functions: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("erf", [](auto x) { return simd::erf(x); }, [](auto x) { return std::erf(x); }, 2);
  test::check_function("erfc", [](auto x) { return simd::erfc(x); }, [](auto x) { return std::erfc(x); }, 4);
  // clang-format on
}

TEST_CASE("gelu: errors, special values, the same bits at every position") {
  const auto gelu = [](auto x) { return simd::gelu(x); };
  const auto exact = [](auto x) {
    using L = long double;
    const L y = static_cast<L>(x);
    return static_cast<decltype(x)>(
        std::isinf(y) ? (y > 0 ? y : 0) : y * std::erfc(-y * 0.70710678118654752440L) / 2);
  };
  CHECK(test::sweep_floats(gelu, exact).error <= 2);
  CHECK(test::sweep_doubles(gelu, exact).error <= 3);
  CHECK(simd::gelu(-INFINITY) == 0);
  CHECK(std::signbit(simd::gelu(-20.0F)));
  CHECK(simd::gelu(INFINITY) == INFINITY);
  CHECK(std::signbit(simd::gelu(-0.0)));
  CHECK(std::isnan(simd::gelu(NAN)));
  CHECK(std::isnan(simd::gelu(-static_cast<double>(NAN))));
  CHECK(test::differences_by_position<float>(gelu) == 0);
  CHECK(test::differences_by_position<double>(gelu) == 0);
}
