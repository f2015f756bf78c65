// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/quotient.hpp>

#include <cmath>
#include <limits>
#include <random>

#include "test.hpp"

namespace simd = weft::math::simd;

TEST_CASE_TEMPLATE("near remainders are the C library's", T, float, double) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  const double exponents = sizeof(T) == 4 ? 149 : 1074;
  int wrong = 0;
  int near = 0;
  int far = 0;
  for (int i = 0; i < 400000; ++i) {
    const auto b = static_cast<T>(std::ldexp(unit(random), static_cast<int>(unit(random) * 120)));
    const double ratio = std::exp2(unit(random) * (i % 4 == 0 ? exponents / 5 : 25));
    T a = static_cast<T>(static_cast<double>(b) * ratio * (i % 3 == 0 ? -1 : 1));
    if (i % 5 == 0) a = std::round(static_cast<T>(ratio)) * b;  // at, or next to, a multiple
    if (i % 10 == 0) a = std::nextafter(a, T(0));
    if (std::isinf(a)) continue;
    if (simd::is_near_quotient(a, b) == 0) {
      ++far;
      wrong += std::abs(a / b) >= T(0x1p23) ? 0 : 1;
      continue;
    }
    ++near;
    const T r = simd::near_mod(a, b);
    const T expected = std::fmod(a, b);
    wrong += (std::isnan(r) ? std::isnan(expected)
                            : r == expected && std::signbit(r) == std::signbit(expected))
                 ? 0
                 : 1;
  }
  CHECK(wrong == 0);
  CHECK(near > 100000);
  CHECK(far > 1000);
}

TEST_CASE_TEMPLATE("zeros, infinities, NaN and the largest numbers", T, float, double) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T most = std::numeric_limits<T>::max();
  constexpr T least = std::numeric_limits<T>::denorm_min();
  const T values[] = {T(0),     -T(0),    T(1),  T(-1),
                      inf,      -inf,     most,  -most,
                      most / 2, most / 3, least, std::numeric_limits<T>::quiet_NaN(),
                      3 * least};
  for (T x : values) {
    for (T y : values) {
      if (simd::is_near_quotient(x, y) == 0) continue;
      const T r = simd::near_mod(x, y);
      const T expected = std::fmod(x, y);
      CAPTURE(x);
      CAPTURE(y);
      CHECK((std::isnan(r) ? std::isnan(expected)
                           : r == expected && std::signbit(r) == std::signbit(expected)));
    }
  }
  CHECK(simd::is_near_quotient(T(0x1p40), T(1)) == 0);
  CHECK(simd::is_near_quotient(T(1e6), T(1)) != 0);
}
