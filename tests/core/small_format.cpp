// SPDX-License-Identifier: Apache-2.0
#include <weft/core/small_format.hpp>

#include <cmath>

#include "test.hpp"

namespace small_format_test {
namespace {

using weft::Overflow;

/// A format from its definition: bits of exponent and mantissa, bias, and where NaN and infinity
/// are.
struct Definition {
  int exponent;
  int mantissa;
  int bias;
  int infinity;  // code without sign, or -1
  int nan;       // the first code without sign that is NaN; 0x80: that code alone
};

double value_of(const Definition& d, int code) {
  const int width = d.exponent + d.mantissa;
  const int magnitude = code & ((1 << width) - 1);
  const double sign = (code >> width & 1) != 0 ? -1 : 1;
  if (d.nan == 0x80 ? code == 0x80 : d.nan >= 0 && magnitude >= d.nan) return NAN;
  if (magnitude == d.infinity) return sign * INFINITY;
  const int e = magnitude >> d.mantissa;
  const int m = magnitude & ((1 << d.mantissa) - 1);
  const double fraction = std::ldexp(m, -d.mantissa);
  return sign * (e == 0 ? std::ldexp(fraction, 1 - d.bias) : std::ldexp(1 + fraction, e - d.bias));
}

/// The nearest finite number by trying all; of two equally near ones that with the even code.
template <class F>
double nearest(const Definition& d, double x) {
  double best = NAN;
  int best_code = 0;
  for (int code = 0; code < 1 << F::bits; ++code) {
    const double v = value_of(d, code);
    if (!std::isfinite(v)) continue;
    const double distance = std::fabs(v - x);
    const double least = std::fabs(best - x);
    if (std::isnan(best) || distance < least ||
        (distance == least && code % 2 == 0 && best_code % 2 != 0)) {
      best = v;
      best_code = code;
    }
  }
  return best;
}

template <class F>
void check(const Definition& d, double largest) {
  for (int code = 0; code < 1 << F::bits; ++code) {
    CAPTURE(code);
    const double expected = value_of(d, code);
    const float got = F::decode(static_cast<std::uint8_t>(code));
    if (std::isnan(expected)) {
      CHECK(std::isnan(got));
    } else {
      CHECK(got == expected);
      CHECK(std::signbit(got) == std::signbit(expected));
      if (std::isfinite(expected)) {
        CHECK(int(F::encode(got, Overflow::saturate)) == code);  // all numbers come back
      }
    }
  }
  // Between all neighbours: a little below the middle, in it, and a little above.
  for (int code = 0; code + 1 < 1 << (F::bits - 1); ++code) {
    const double a = value_of(d, code);
    const double b = value_of(d, code + 1);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const auto middle = static_cast<float>((a + b) / 2);
    for (float x : {std::nextafterf(middle, 0), middle, std::nextafterf(middle, 1e30F)}) {
      CAPTURE(x);
      CHECK(F::decode(F::encode(x, Overflow::saturate)) == nearest<F>(d, double(x)));
      CHECK(F::decode(F::encode(-x, Overflow::natural)) == nearest<F>(d, double(-x)));
    }
  }
  CHECK(double(F::decode(F::encode(1e30F, Overflow::saturate))) == largest);
  CHECK(double(F::decode(F::encode(-INFINITY, Overflow::saturate))) == -largest);
  const float beyond = F::decode(F::encode(1e30F, Overflow::natural));
  if (d.infinity >= 0) {
    CHECK(beyond == INFINITY);
  } else if (d.nan >= 0) {
    CHECK(std::isnan(beyond));
  } else {
    CHECK(double(beyond) == largest);
  }
  if (d.nan >= 0) CHECK(std::isnan(F::decode(F::encode(NAN, Overflow::saturate))));
}

TEST_CASE("small floats are what their definitions say, and are rounded to the nearest") {
  check<weft::float8_e4m3>({4, 3, 7, -1, 0x7F}, 448);
  check<weft::float8_e4m3fnuz>({4, 3, 8, -1, 0x80}, 240);
  check<weft::float8_e5m2>({5, 2, 15, 0x7C, 0x7D}, 57344);
  check<weft::float8_e5m2fnuz>({5, 2, 16, -1, 0x80}, 57344);
  check<weft::float4_e2m1>({2, 1, 1, -1, -1}, 6);
}

TEST_CASE("the largest number holds up to half a place above it") {
  using F = weft::float8_e4m3;  // 448, and the next one would be 480
  CHECK(F::decode(F::encode(464, Overflow::natural)) == 448);
  CHECK(std::isnan(F::decode(F::encode(464.1F, Overflow::natural))));
  using G = weft::float8_e5m2;  // 57344, and the next one would be 65536
  CHECK(G::decode(G::encode(61439, Overflow::natural)) == 57344);
  CHECK(G::decode(G::encode(61440, Overflow::natural)) == INFINITY);
}

TEST_CASE("powers of two: to the nearest, up and down") {
  using F = weft::float8_e8m0;
  CHECK(F::decode(0) == 0x1p-127F);
  CHECK(F::decode(127) == 1);
  CHECK(F::decode(254) == 0x1p127F);
  CHECK(std::isnan(F::decode(255)));
  const auto near = [](float x) { return F::decode(F::encode(x, Overflow::saturate)); };
  CHECK(near(1.49F) == 1);
  CHECK(near(1.5F) == 2);
  CHECK(near(0) == 0x1p-127F);
  CHECK(near(3e38F) == 0x1p127F);
  CHECK(F::encode(INFINITY, Overflow::natural) == 0xFF);
  CHECK(F::encode(-1, Overflow::saturate) == 0xFF);
  CHECK(F::decode(F::encode_up(1.001F, Overflow::saturate)) == 2);
  CHECK(F::decode(F::encode_up(2, Overflow::saturate)) == 2);
  CHECK(F::decode(F::encode_down(3.99F, Overflow::saturate)) == 2);
}

TEST_CASE("integers of few bits: toward zero, saturated or cut") {
  using F = weft::int4;
  const auto value = [](float x, Overflow o) { return F::decode(F::encode(x, o)); };
  CHECK(value(-8, Overflow::saturate) == -8);
  CHECK(value(6.9F, Overflow::saturate) == 6);
  CHECK(value(-2.9F, Overflow::saturate) == -2);
  CHECK(value(1e20F, Overflow::saturate) == 7);
  CHECK(value(-9, Overflow::saturate) == -8);
  CHECK(value(-9, Overflow::natural) == 7);  // the low bits
  CHECK(value(NAN, Overflow::saturate) == 0);
  CHECK(weft::uint4::decode(weft::uint4::encode(20, Overflow::saturate)) == 15);
  CHECK(weft::int2::decode(3) == -1);
  CHECK(weft::uint2::decode(3) == 3);
}

}  // namespace
}  // namespace small_format_test
