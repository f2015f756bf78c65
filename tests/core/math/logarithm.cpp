// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/logarithm.hpp>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("logarithms: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("log", [](auto x) { return simd::log(x); }, [](auto x) { return std::log(x); }, 2);
  test::check_function("log2", [](auto x) { return simd::log2(x); }, [](auto x) { return std::log2(x); }, 2);
  test::check_function("log10", [](auto x) { return simd::log10(x); }, [](auto x) { return std::log10(x); }, 2);
  test::check_function("log1p", [](auto x) { return simd::log1p(x); }, [](auto x) { return std::log1p(x); }, 2);
  // clang-format on
}
