// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/convert.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

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
  check(weft::half{});
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
  static_assert(convert<weft::half>(70000).bits == 0x7C00);
  static_assert(convert<bfloat16>(int64_t{257}).bits == bfloat16(256).bits);
}

TEST_CASE("bool is 1 or 0, and true for all but 0") {
  static_assert(convert<float>(true) == 1 && convert<int>(false) == 0);
  static_assert(convert<weft::half>(true) == 1 && convert<complex<float>>(true) == 1.0F);
  static_assert(convert<bool>(0.1) && convert<bool>(-3) && !convert<bool>(-0.0));
  static_assert(convert<bool>(weft::half(0.5F)) && !convert<bool>(weft::half(0)));
  CHECK(convert<bool>(NAN));
}

TEST_CASE("between the floating types, with one rounding") {
  static_assert(convert<weft::half>(1 + 0x1p-11 + 0x1p-40).bits == 0x3C01);
  static_assert(convert<bfloat16>(weft::half(1.5F)) == 1.5F);
  static_assert(convert<double>(weft::half(0.25F)) == 0.25);
  CHECK(convert<float>(1e300) == INFINITY);
  CHECK(convert<weft::half>(1e300) == INFINITY);
  CHECK(std::isnan(convert<weft::half>(static_cast<double>(NAN))));
}

TEST_CASE("real to complex, complex to complex, never complex to real") {
  static_assert(convert<complex<double>>(weft::half(2)) == 2.0);
  static_assert(convert<complex<float>>(3) == 3.0F);
  static_assert(convert<complex<float>>(complex<double>(1, 2)) == complex<float>(1, 2));
  static_assert(![]<class T>(T) {
    return requires { convert<float>(T{}); };
  }(complex<float>{}));
}

TEST_CASE_TEMPLATE("tensors convert as scalars do, on every device", D, TEST_DEVICES) {
  std::vector<double> values{0.5,    -0.5, 1.75,  -1.75, 127.9, 128,
                             -128.9, -129, 255.9, 256,   NAN,   -0.0};
  for (int bits : {15, 16, 31, 32, 63, 64, 100}) {
    for (double sign : {-1.0, 1.0}) {
      values.push_back(sign * std::ldexp(1.0, bits));
      values.push_back(sign * std::nextafter(std::ldexp(1.0, bits), 0));
    }
  }
  values.insert(values.end(), {INFINITY, -INFINITY});
  const auto x = tensor(values, {-1}, D{});
  const auto check_type = [&]<class I>(I) {
    const std::vector<I> from_double = eval(cast<I>(x)).to_vector();
    const std::vector<I> from_float = eval(cast<I>(cast<float>(x))).to_vector();
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(from_double[i] == convert<I>(values[i]));
      CHECK(from_float[i] == convert<I>(static_cast<float>(values[i])));
    }
  };
  check_type(bool{});
  check_type(int8_t{});
  check_type(uint8_t{});
  check_type(uint16_t{});
  check_type(int32_t{});
  check_type(uint32_t{});
  check_type(int64_t{});
  check_type(uint64_t{});
}

namespace {
template <class To, class From>
concept Converts = requires(From x) {
  weft::math::convert<To>(x);
};
}  // namespace

TEST_CASE("a Dual loses its tangent only on the way to what has none") {
  using weft::Dual;
  static_assert(!Converts<float, Dual<float>> && !Converts<weft::half, Dual<float>>);
  static_assert(Converts<Dual<double>, Dual<float>> && Converts<bool, Dual<float>>);
  CHECK(weft::math::convert<int>(Dual<float>(2.7F, 5)) == 2);
  CHECK(weft::math::convert<bool>(Dual<float>(0, 5)) == false);
  CHECK(weft::math::convert<Dual<double>>(Dual<float>(1.5F, 5)).tangent == 5);
  CHECK(weft::math::convert<Dual<float>>(1.5F).tangent == 0);
}
