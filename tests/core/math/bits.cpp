// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/bits.hpp>

#include <cmath>
#include <limits>

#include "test.hpp"

namespace detail = weft::math::simd::detail;

TEST_CASE_TEMPLATE("clamp_magnitude keeps the sign and NaN", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(detail::clamp_magnitude<detail::to_bits(T(4))>(T(3)) == 3);
  CHECK(detail::clamp_magnitude<detail::to_bits(T(4))>(T(-4)) == -4);
  CHECK(detail::clamp_magnitude<detail::to_bits(T(4))>(T(5)) == 4);
  CHECK(detail::clamp_magnitude<detail::to_bits(T(4))>(-inf) == -4);
  CHECK(detail::clamp_magnitude<detail::to_bits(T(4))>(inf) == 4);
  CHECK(std::signbit(detail::clamp_magnitude<detail::to_bits(T(4))>(T(-0.0))));
  CHECK(std::isnan(detail::clamp_magnitude<detail::to_bits(T(4))>(nan)));
  CHECK(std::isnan(detail::clamp_magnitude<detail::to_bits(T(4))>(-nan)));
}

TEST_CASE_TEMPLATE("limits of the magnitude, with and without NaN", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  constexpr auto limit = detail::to_bits(T(4));
  for (const T x : {T(0), T(3), T(4), T(5), inf}) {
    const T expected = x < 4 ? x : T(4);
    CHECK(detail::limited_magnitude<limit>(x) == expected);
    CHECK(detail::limited_magnitude<limit>(-x) == expected);
    CHECK(detail::magnitude_at_most<limit>(-x) == expected);
    CHECK(detail::near_or_nan(-x, T(4)) == (x < 4 ? ~detail::Bits<T>(0) : 0));
  }
  for (const T x : {nan, -nan}) {
    CHECK(std::isnan(detail::limited_magnitude<limit>(x)));
    CHECK(detail::magnitude_at_most<limit>(x) == 4);
    CHECK(detail::near_or_nan(x, T(4)) == ~detail::Bits<T>(0));
  }
}

TEST_CASE_TEMPLATE("masks and selection", T, float, double) {
  using U = detail::Bits<T>;
  CHECK(detail::below(U(3), U(4)) == static_cast<U>(~U(0)));
  CHECK(detail::below(U(4), U(4)) == 0);
  CHECK(detail::below(static_cast<U>(0 - U(1)), U(0)) == static_cast<U>(~U(0)));
  CHECK(detail::negative(T(-0.0)) == static_cast<U>(~U(0)));
  CHECK(detail::negative(T(1)) == 0);
  CHECK(detail::select(detail::negative(T(-1)), T(5), T(6)) == 5);
  CHECK(detail::select(detail::negative(T(1)), T(5), T(6)) == 6);
  CHECK(std::signbit(detail::with_sign_of(T(0), T(-3))));
}

TEST_CASE_TEMPLATE("the square of the upper half is exact", T, float, double) {
  const T x = T(1) / 3;
  const T high = detail::upper_half(x);
  CHECK(x - high < x * (sizeof(T) == 4 ? T(0x1p-11) : T(0x1p-25)));
  CHECK(static_cast<long double>(high * high) ==
        static_cast<long double>(high) * static_cast<long double>(high));
}

TEST_CASE("a polynomial's coefficients begin with the lowest power") {
  CHECK(detail::polynomial(2.0, 1.0, 10.0, 100.0) == 421);
}
