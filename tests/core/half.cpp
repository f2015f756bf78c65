// SPDX-License-Identifier: Apache-2.0
#include <weft/core/half.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference.hpp"
#include "test.hpp"

// CUDA's own half is global: in here the name is weft's.
namespace half_test {
namespace {

using weft::bfloat16;
using weft::half;

struct Format {
  int digits;        // of the significand, the hidden one included
  int min_exponent;  // of the smallest normal number
  int max_exponent;  // of the largest number
};
constexpr Format format(half) { return {11, -14, 15}; }
constexpr Format format(bfloat16) { return {8, -126, 127}; }

/// The value of a representation, from IEEE 754's definition.
template <class H>
double value(std::uint16_t bits) {
  constexpr Format f = format(H{});
  const int mantissa_bits = f.digits - 1;
  const int exponent = (bits & 0x7FFF) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const int top = (1 << (15 - mantissa_bits)) - 1;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == top) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, f.min_exponent - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - top / 2 - mantissa_bits);
}

/// The representation nearest to x, ties to even: by bisection over all representations.
template <class H>
std::uint16_t nearest(long double x) {
  if (std::isnan(x)) return 0x7FFF;
  constexpr Format f = format(H{});
  const long double a = std::fabs(x);
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const auto infinity = static_cast<std::uint16_t>(((1 << (16 - f.digits)) - 1) << (f.digits - 1));
  const long double limit = std::ldexp(2.0L - std::ldexp(1.0L, -f.digits), f.max_exponent);
  if (a >= limit) return sign | infinity;
  int low = 0;
  int high = infinity;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (static_cast<long double>(value<H>(static_cast<std::uint16_t>(middle))) <= a ? low : high) =
        middle;
  }
  const long double below = value<H>(static_cast<std::uint16_t>(low));
  const long double above = high == infinity ? std::ldexp(1.0L, f.max_exponent + 1)
                                             : value<H>(static_cast<std::uint16_t>(high));
  const bool up = a - below > above - a || (a - below == above - a && low % 2 == 1);
  return static_cast<std::uint16_t>(sign | (up ? high : low));
}

}  // namespace

TEST_CASE_TEMPLATE("every representation has its value and survives the round trip", H, half,
                   bfloat16) {
  int wrong = 0;
  for (int i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const H h = H::from_bits(bits);
    const double expected = value<H>(bits);
    const float x = h;
    if (std::isnan(expected)) {
      wrong += !std::isnan(x) || H(x).bits != 0x7FFF || H(double{x}).bits != 0x7FFF;
    } else {
      wrong += x != expected || std::signbit(x) != std::signbit(expected) || H(x).bits != bits ||
               H(expected).bits != bits;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("float rounds to the nearest, ties to even", H, half, bfloat16) {
  int wrong = 0;
  const auto check = [&](float x) { wrong += H(x).bits != nearest<H>(x); };
  for (int i = 0; i < 0x10000; ++i) {
    const double low = value<H>(static_cast<std::uint16_t>(i));
    const double high = value<H>(static_cast<std::uint16_t>(i + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    check(middle);
    check(std::nextafter(middle, INFINITY));
    check(std::nextafter(middle, -INFINITY));
  }
  test::Numbers numbers;
  for (int i = 0; i < 300000; ++i) {
    check(std::bit_cast<float>(static_cast<std::uint32_t>(numbers.bits() >> 32)));
  }
  for (float x : {0.0F, -0.0F, 65504.0F, 65519.996F, 65520.0F, 1e38F, 3.4028235e38F, INFINITY,
                  -INFINITY, NAN, -NAN, 1e-45F, -1e-45F, 0x1p-25F, 0x1.000002p-25F, 0x1p-134F}) {
    check(x);
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("double rounds once, not through float", H, half, bfloat16) {
  int wrong = 0;
  const auto check = [&](double x) { wrong += H(x).bits != nearest<H>(x); };
  for (int i = 0; i < 0x10000; ++i) {
    const double middle =
        (value<H>(static_cast<std::uint16_t>(i)) + value<H>(static_cast<std::uint16_t>(i + 1))) / 2;
    check(middle);
    check(std::nextafter(middle, INFINITY));  // rounded to float first, these become a tie
    check(std::nextafter(middle, -INFINITY));
  }
  for (double x :
       {1e300, -1e300, 1e39, 1e-300, -1e-300, 5e-324, -5e-324, 1e-40, 3.4028235677973366e38}) {
    check(x);
  }
  test::Numbers numbers;
  for (int i = 0; i < 200000; ++i) {
    check(std::ldexp(numbers.uniform(-2, 2), static_cast<int>(numbers.bits() % 300) - 150));
  }
  CHECK(wrong == 0);
  CHECK(half(1 + 0x1p-11 + 0x1p-40).bits == 0x3C01);
  CHECK(half(static_cast<float>(1 + 0x1p-11 + 0x1p-40)).bits == 0x3C00);
}

TEST_CASE_TEMPLATE("integers round once", H, half, bfloat16) {
  int wrong = 0;
  const auto check = [&](auto i) { wrong += H(i).bits != nearest<H>(static_cast<long double>(i)); };
  test::Numbers numbers;
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t u = numbers.bits() >> (numbers.bits() % 64);
    check(u);
    check(static_cast<std::int64_t>(u));
    check(-static_cast<std::int64_t>(u >> 1));
    check(static_cast<std::int16_t>(u));
  }
  for (int bit = 9; bit < 64; ++bit) {
    const std::uint64_t middle = (std::uint64_t{1} << bit) + (std::uint64_t{1} << (bit - 8));
    check(middle);
    check(middle + 1);
    check(middle - 1);
  }
  CHECK(wrong == 0);
  CHECK(H(true) == 1);
}

TEST_CASE_TEMPLATE("tensors round as scalars do, on every device", D, TEST_DEVICES) {
  std::vector<float> singles;
  std::vector<double> doubles;
  test::Numbers numbers;
  for (int i = 0; i < 200000; ++i) {
    const auto bits = static_cast<std::uint32_t>(numbers.bits() >> 32);
    singles.push_back(std::bit_cast<float>(i % 2 == 0 ? bits : (bits & 0xFFFF0000U) | 0x8000U));
    doubles.push_back(std::ldexp(numbers.uniform(-2, 2), static_cast<int>(bits % 300) - 150));
  }
  const auto x = weft::tensor(singles, {-1}, D{});
  const auto y = weft::tensor(doubles, {-1}, D{});
  const auto check_type = [&]<class H>(H) {
    const std::vector<H> from_single = weft::eval(weft::cast<H>(x)).to_vector();
    const std::vector<H> from_double = weft::eval(weft::cast<H>(y)).to_vector();
    int wrong = 0;
    for (std::size_t i = 0; i < singles.size(); ++i) {
      wrong += from_single[i].bits != H(singles[i]).bits;
      wrong += from_double[i].bits != H(doubles[i]).bits;
    }
    CHECK(wrong == 0);
  };
  check_type(half{});
  check_type(bfloat16{});
}

#if defined(__FLT16_MANT_DIG__) && defined(__x86_64__)
#if !defined(__CUDACC__) && !defined(__clang__)
TEST_CASE("half is the compiler's _Float16") {
  test::Numbers numbers;
  int wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto x = static_cast<float>(
        std::ldexp(numbers.uniform(-2, 2), static_cast<int>(numbers.bits() % 60) - 35));
    wrong += half(x).bits != std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
  }
  CHECK(wrong == 0);
}
#endif
#endif

TEST_CASE_TEMPLATE("limits", H, half, bfloat16) {
  using L = std::numeric_limits<H>;
  CHECK(L::max() == std::ldexp(2 - std::ldexp(1.0, 1 - L::digits), L::max_exponent - 1));
  CHECK(L::lowest() == -L::max());
  CHECK(L::min() == std::ldexp(1.0, L::min_exponent - 1));
  CHECK(L::epsilon() == std::ldexp(1.0, 1 - L::digits));
  CHECK(L::denorm_min() == std::ldexp(1.0, L::min_exponent - L::digits));
  CHECK(L::infinity() == INFINITY);
  CHECK(std::isnan(float(L::quiet_NaN())));
}

TEST_CASE("arithmetic and comparison go through float, also in constants") {
  static_assert(half(1.5F) + half(2) == 3.5F);
  static_assert(half(1) < half(2) && half(2) == 2);
  static_assert(half(65520.0).bits == 0x7C00 && half(1e300).bits == 0x7C00);
  static_assert(half(1e-300).bits == 0 && bfloat16(-1e-300).bits == 0x8000);
  static_assert(bfloat16(1.00390625F).bits == 0x3F80 && bfloat16(3.14159).bits == 0x4049);
  static_assert(std::is_same_v<decltype(half(1) * half(2)), float>);
  CHECK(half(NAN) != half(NAN));
}

}  // namespace half_test
