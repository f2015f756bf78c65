// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/hyperbolic.hpp>

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
