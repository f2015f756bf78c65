// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/hyperbolic.hpp>

#include <cfenv>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("hyperbolic functions: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("sinh", [](auto x) { return simd::sinh(x); }, [](auto x) { return std::sinh(x); }, 2);
  test::check_function("cosh", [](auto x) { return simd::cosh(x); }, [](auto x) { return std::cosh(x); }, 2);
  test::check_function("tanh", [](auto x) { return simd::tanh(x); }, [](auto x) { return std::tanh(x); }, 2);
  // clang-format on
}

TEST_CASE("sigmoid: errors, special values, the same bits at every position") {
  const auto reference = [](auto x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  };
  test::check_function(
      "sigmoid", [](auto x) { return simd::sigmoid(x); }, reference, 2);
}

TEST_CASE_TEMPLATE("sigmoid of far numbers is 0 or 1, without a subnormal number", T, float,
                   double) {
  for (int i = sizeof(T) == 4 ? 104 : 746; i < 1500; ++i) {
    CHECK(simd::sigmoid(T(-i)) == 0);
    CHECK(simd::sigmoid(T(i)) == 1);
  }
  volatile T numbers[] = {T(-1e4), T(-1e9), T(1e9), std::numeric_limits<T>::infinity()};
  for (const T x : numbers) {
    std::feclearexcept(FE_UNDERFLOW);
    volatile const T y = simd::sigmoid(x);
    CHECK(y == (x > 0 ? 1 : 0));
    CHECK(!std::fetestexcept(FE_UNDERFLOW));
  }
}
