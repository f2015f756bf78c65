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
    constexpr L root_half = 0.70710678118654752440084436210485L;
    const L z = -y * root_half;
    const L lost = std::fma(-y, root_half, -z);  // erfc falls by 2 z times as much, relatively
    const L twice_phi = std::erfc(z);
    const L value = y * (z > 3 ? twice_phi - twice_phi * 2 * z * lost : twice_phi) / 2;
    return static_cast<decltype(x)>(twice_phi == 0 ? -L(0) : std::isinf(y) ? y : value);
  };
  CHECK(test::sweep_floats(gelu, exact).error <= 2.1);
  CHECK(test::sweep_doubles(gelu, exact).error <= 2.5);
  CHECK(simd::gelu(-INFINITY) == 0);
  CHECK(std::signbit(simd::gelu(-20.0F)));
  CHECK(simd::gelu(INFINITY) == INFINITY);
  CHECK(std::signbit(simd::gelu(-0.0)));
  CHECK(std::isnan(simd::gelu(NAN)));
  CHECK(std::isnan(simd::gelu(-static_cast<double>(NAN))));
  CHECK(test::differences_by_position<float>(gelu) == 0);
  CHECK(test::differences_by_position<double>(gelu) == 0);
}
