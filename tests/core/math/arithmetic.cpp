// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/arithmetic.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "reference.hpp"
#include "test.hpp"

namespace math = weft::math;
using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

#define INTEGERS int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

namespace {
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

/// x modulo 2^bits, as T: what wrapping means.
template <class T>
T wrap(Wide x) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x));
}

/// Every pair of small numbers, of numbers near the limits, and of random ones.
template <class T, class F>
void for_pairs(F f) {
  T values[64];
  test::Numbers numbers;
  int n = 0;
  for (int i = -9; i <= 9; ++i) values[n++] = static_cast<T>(i);
  for (int i = 0; i < 4; ++i) {
    values[n++] = static_cast<T>(std::numeric_limits<T>::min() + i);
    values[n++] = static_cast<T>(std::numeric_limits<T>::max() - i);
    values[n++] = static_cast<T>(std::numeric_limits<T>::max() / 2 + i);
  }
  while (n < 64) values[n++] = static_cast<T>(numbers.bits() >> (numbers.bits() % 64));
  for (T x : values) {
    for (T y : values) f(x, y);
  }
}
}  // namespace

TEST_CASE_TEMPLATE("integers wrap", T, INTEGERS) {
  int wrong = 0;
  for_pairs<T>([&](T x, T y) {
    wrong += math::add(x, y) != wrap<T>(Wide{x} + y);
    wrong += math::sub(x, y) != wrap<T>(Wide{x} - y);
    wrong += math::mul(x, y) !=
             static_cast<T>(static_cast<UnsignedWide>(x) * static_cast<UnsignedWide>(y));
    wrong += math::neg(x) != wrap<T>(-Wide{x});
    wrong += math::abs(x) != wrap<T>(Wide{x} < 0 ? -Wide{x} : Wide{x});
    wrong += math::sign(x) != static_cast<T>(Wide{x} > 0 ? 1 : Wide{x} < 0 ? -1 : 0);
  });
  CHECK(wrong == 0);
  static_assert(std::is_same_v<decltype(math::add(int8_t{1}, int8_t{1})), int8_t>);
}

TEST_CASE_TEMPLATE("integer division is defined everywhere", T, INTEGERS) {
  int wrong = 0;
  for_pairs<T>([&](T x, T y) {
    if (y == 0) {
      wrong += math::div(x, y) != 0 || math::mod(x, y) != 0 || math::remainder(x, y) != 0;
      return;
    }
    const Wide wx = x;
    const Wide wy = y;
    wrong += math::div(x, y) != wrap<T>(wx / wy);
    wrong += math::mod(x, y) != wrap<T>(wx % wy);
    const Wide python = ((wx % wy) + wy) % wy;
    wrong += math::remainder(x, y) != wrap<T>(python);
  });
  CHECK(wrong == 0);
}

TEST_CASE("division rounds toward zero; % has the dividend's sign, remainder the divisor's") {
  static_assert(math::div(-7, 2) == -3 && math::mod(-7, 2) == -1 && math::remainder(-7, 2) == 1);
  static_assert(math::mod(7, -2) == 1 && math::remainder(7, -2) == -1);
  static_assert(math::div(std::numeric_limits<int>::min(), -1) == std::numeric_limits<int>::min());
  static_assert(math::mod(std::numeric_limits<int64_t>::min(), int64_t{-1}) == 0);
}

TEST_CASE_TEMPLATE("remainders of floating-point numbers", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity();
  CHECK(math::mod(T(-7), T(2)) == -1);
  CHECK(math::remainder(T(-7), T(2)) == 1);
  CHECK(math::remainder(T(7), T(-2)) == -1);
  CHECK(math::remainder(T(-1), inf) == inf);
  CHECK(math::remainder(T(1), inf) == 1);
  CHECK(std::signbit(math::remainder(T(4), T(-2))));
  CHECK(!std::signbit(math::remainder(T(-4), T(2))));
  CHECK(std::isnan(math::remainder(T(1), T(0))));
  CHECK(std::isnan(math::mod(inf, T(2))));
}

TEST_CASE_TEMPLATE("shifts outside the width give 0, or -1", T, INTEGERS) {
  int wrong = 0;
  const int bits = 8 * sizeof(T);
  for_pairs<T>([&](T x, T y) {
    const bool inside = Wide{y} >= 0 && Wide{y} < bits;
    T left = 0;
    T right = Wide{x} < 0 ? static_cast<T>(-1) : T(0);
    if (inside) {
      left = wrap<T>(static_cast<Wide>(static_cast<UnsignedWide>(x) << static_cast<int>(y)));
      right = wrap<T>(Wide{x} >> static_cast<int>(y));
    }
    wrong += math::shift_left(x, y) != left;
    wrong += math::shift_right(x, y) != right;
  });
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("powers of integers", T, INTEGERS) {
  int wrong = 0;
  for_pairs<T>([&](T x, T y) {
    const auto n = static_cast<T>(y % 50);
    if (Wide{n} < 0) return;
    T expected = 1;
    for (T i = 0; i < n; ++i) expected = math::mul(expected, x);
    wrong += math::pow(x, n) != expected;
  });
  CHECK(wrong == 0);
  static_assert(math::pow(2, -1) == 0 && math::pow(0, -1) == 0 && math::pow(1, -5) == 1);
  static_assert(math::pow(-1, -5) == -1 && math::pow(-1, -4) == 1);
}

TEST_CASE_TEMPLATE("minimum and maximum pass NaN on, fmin and fmax leave it out", T, float,
                   double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(math::maximum(T(1), T(2)) == 2);
  CHECK(math::minimum(T(1), T(2)) == 1);
  CHECK(std::isnan(math::maximum(nan, T(2))));
  CHECK(std::isnan(math::maximum(T(2), nan)));
  CHECK(std::isnan(math::minimum(nan, T(2))));
  CHECK(std::isnan(math::minimum(T(2), nan)));
  CHECK(math::fmax(nan, T(2)) == 2);
  CHECK(math::fmax(T(2), nan) == 2);
  CHECK(math::fmin(nan, T(2)) == 2);
  CHECK(math::fmin(T(2), nan) == 2);
  CHECK(std::isnan(math::fmin(nan, nan)));
  CHECK(std::isnan(math::sign(nan)));
  CHECK(math::sign(T(-3)) == -1);
  CHECK(math::sign(T(-0.0)) == 0);
  CHECK(math::clamp(T(3), T(2), T(1)) == 1);
  CHECK(std::isnan(math::clamp(nan, T(0), T(1))));
}

TEST_CASE("bits, of integers and bool") {
  static_assert(math::bit_and(int8_t{-1}, int8_t{5}) == 5 && math::bit_not(uint8_t{1}) == 254);
  static_assert(math::bit_not(true) == false && math::bit_xor(true, true) == false);
  static_assert(std::is_same_v<decltype(math::bit_or(true, false)), bool>);
}

TEST_CASE("NaN and infinity, also in one part of a complex number") {
  using C = weft::complex<float>;
  static_assert(math::is_nan(math::nan<float>) && !math::is_nan(math::infinity<double>));
  static_assert(math::is_inf(-math::infinity<float>) && !math::is_inf(1) && !math::is_nan(1));
  CHECK(math::is_nan(C(1, NAN)));
  CHECK(math::is_inf(C(INFINITY, 1)));
}

TEST_CASE_TEMPLATE("sign of zeros, of NaN and of numbers at the ends", T, float, double) {
  using limits = std::numeric_limits<T>;
  for (const T x : {limits::denorm_min(), T(0.25), limits::max(), limits::infinity()}) {
    CHECK(weft::math::sign(x) == 1);
    CHECK(weft::math::sign(-x) == -1);
  }
  CHECK(weft::math::sign(T(0)) == 0);
  CHECK(weft::math::sign(T(-0.0)) == 0);
  CHECK(!std::signbit(weft::math::sign(T(-0.0))));
  CHECK(std::isnan(weft::math::sign(limits::quiet_NaN())));
  static_assert(weft::math::sign(T(-3)) == -1);
}

TEST_CASE_TEMPLATE("choose takes one side, whatever the other is", T, float, double, int) {
  const T strange = std::numeric_limits<T>::quiet_NaN();  // of int 0
  CHECK(weft::math::choose(true, T(3), strange) == 3);
  CHECK(weft::math::choose(false, strange, T(4)) == 4);
  static_assert(weft::math::choose(true, T(1), T(2)) == 1);
}
