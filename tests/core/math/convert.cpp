// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/convert.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "test.hpp"

using namespace weft;
using math::convert;
using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

#define INTEGERS int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

TEST_CASE_TEMPLATE("floating to integer truncates, saturates, and makes 0 of NaN", I, INTEGERS) {
  constexpr I low = std::numeric_limits<I>::min();
  constexpr I high = std::numeric_limits<I>::max();
  const auto check = [&]<class F>(F) {
    CHECK(convert<I>(F(1.75)) == 1);
    CHECK(convert<I>(F(-0.75)) == 0);
    CHECK(convert<I>(F(-1.75)) == (std::is_signed_v<I> ? static_cast<I>(-1) : 0));
    CHECK(convert<I>(std::numeric_limits<F>::quiet_NaN()) == 0);
    CHECK(convert<I>(std::numeric_limits<F>::infinity()) == high);
    CHECK(convert<I>(F(-std::numeric_limits<F>::infinity())) == low);
    for (int64_t i = -300; i < 300; ++i) {
      const auto x = static_cast<float>(F(static_cast<float>(i) / 2));
      const auto whole = static_cast<int64_t>(x);
      const bool below = std::is_unsigned_v<I> ? whole < 0 : whole < static_cast<int64_t>(low);
      const bool above = whole > 0 && static_cast<uint64_t>(whole) > static_cast<uint64_t>(high);
      CHECK(convert<I>(F(x)) == (below ? low : above ? high : static_cast<I>(whole)));
    }
  };
  check(float{});
  check(double{});
  check(half{});
  check(bfloat16{});
  const double past = std::ldexp(1.0, std::numeric_limits<I>::digits);
  CHECK(convert<I>(past) == high);
  CHECK(convert<I>(static_cast<float>(past)) == high);
  const double inside = std::nextafter(past, 0);
  CHECK(convert<I>(inside) == static_cast<I>(inside));
  CHECK(convert<I>(-past) == low);
  CHECK(convert<I>(-2 * past) == low);
}

TEST_CASE("integers wrap, and round when they become floating") {
  static_assert(convert<int8_t>(300) == 44);
  static_assert(convert<uint8_t>(-1) == 255);
  static_assert(convert<int64_t>(std::numeric_limits<uint64_t>::max()) == -1);
  static_assert(convert<float>(16777217) == 16777216.0F);
  static_assert(convert<half>(70000).bits == 0x7C00);
  static_assert(convert<bfloat16>(int64_t{257}).bits == bfloat16(256).bits);
}

TEST_CASE("bool is 1 or 0, and true for all but 0") {
  static_assert(convert<float>(true) == 1 && convert<int>(false) == 0);
  static_assert(convert<half>(true) == 1 && convert<complex<float>>(true) == 1.0F);
  static_assert(convert<bool>(0.1) && convert<bool>(-3) && !convert<bool>(-0.0));
  static_assert(convert<bool>(half(0.5F)) && !convert<bool>(half(0)));
  CHECK(convert<bool>(NAN));
}

TEST_CASE("between the floating types, with one rounding") {
  static_assert(convert<half>(1 + 0x1p-11 + 0x1p-40).bits == 0x3C01);
  static_assert(convert<bfloat16>(half(1.5F)) == 1.5F);
  static_assert(convert<double>(half(0.25F)) == 0.25);
  CHECK(convert<float>(1e300) == INFINITY);
  CHECK(convert<half>(1e300) == INFINITY);
  CHECK(std::isnan(convert<half>(static_cast<double>(NAN))));
}

TEST_CASE("real to complex, complex to complex, never complex to real") {
  static_assert(convert<complex<double>>(half(2)) == 2.0);
  static_assert(convert<complex<float>>(3) == 3.0F);
  static_assert(convert<complex<float>>(complex<double>(1, 2)) == complex<float>(1, 2));
  static_assert(![]<class T>(T) { return requires { convert<float>(T{}); }; }(complex<float>{}));
}
