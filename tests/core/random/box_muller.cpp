// SPDX-License-Identifier: Apache-2.0
#include <weft/core/random/box_muller.hpp>

#include <cmath>
#include <cstdint>

#include "reference.hpp"
#include "test.hpp"

using weft::math::box_muller;

namespace {
constexpr long double pi = 3.14159265358979323846264338327950288L;

/// The definition, with the angle brought to the first quarter turn without rounding.
long double reference(int bits, std::uint64_t radius, std::uint64_t angle, bool second) {
  const long double u = std::ldexp(static_cast<long double>(2 * radius + 1), -bits - 1);
  std::uint64_t quarter = std::uint64_t{1} << (bits - 2);
  std::uint64_t turns = second ? angle + 3 * quarter : angle;  // sin(x) = cos(x - pi / 2)
  turns %= 4 * quarter;
  if (turns > 2 * quarter) turns = 4 * quarter - turns;
  const bool negative = turns > quarter;
  if (negative) turns = 2 * quarter - turns;
  const long double x = pi / 2 * std::ldexp(static_cast<long double>(turns), 2 - bits);
  const long double y = pi / 2 * std::ldexp(static_cast<long double>(quarter - turns), 2 - bits);
  const long double c = turns * 2 > quarter ? std::sin(y) : std::cos(x);
  return std::sqrt(-2 * std::log(u)) * (negative ? -c : c);
}

template <int Bits, class T>
void check_error(double limit) {
  test::Numbers numbers;
  test::Worst worst;
  const std::uint64_t mask = (std::uint64_t{1} << Bits) - 1;
  const std::uint64_t quarter = std::uint64_t{1} << (Bits - 2);
  for (int i = 0; i < 300000; ++i) {
    std::uint64_t radius = numbers.bits() & mask;
    std::uint64_t angle = numbers.bits() & mask;
    if (i % 8 == 0) radius >>= i % Bits;
    if (i % 8 == 1) radius = mask - (radius >> i % Bits);
    if (i % 8 == 2)
      angle = (static_cast<std::uint64_t>(i) / 8 % 4 * quarter + (angle >> i % Bits)) & mask;
    if (i % 8 == 3)
      angle = (static_cast<std::uint64_t>(i) / 8 % 4 * quarter - (angle >> i % Bits)) & mask;
    for (bool second : {false, true}) {
      worst(test::ulps(static_cast<T>(box_muller<Bits>(radius, angle, second)),
                       reference(Bits, radius, angle, second)),
            static_cast<double>(radius), static_cast<double>(angle));
    }
  }
  CAPTURE(worst.at);
  CAPTURE(worst.also);
  CHECK(worst.error <= limit);
}
}  // namespace

TEST_CASE("box_muller is its definition") {
  check_error<32, float>(0.501);
  check_error<52, double>(2.5);
}

TEST_CASE("box_muller's ends") {
  const std::uint64_t top32 = 0xFFFFFFFF;
  CHECK(box_muller<32>(0, 0, false) == doctest::Approx(6.7637));  // sqrt(66 log 2)
  CHECK(box_muller<32>(0, 0, true) == 0);
  CHECK(box_muller<32>(top32, 0, false) > 0);
  CHECK(box_muller<32>(top32, 0, false) < 2e-5);
  CHECK(box_muller<52>(0, 0, false) == doctest::Approx(8.5717));
  CHECK(box_muller<52>(0, std::uint64_t{1} << 50, true) == doctest::Approx(8.5717));
  CHECK(box_muller<52>(0, std::uint64_t{2} << 50, false) == doctest::Approx(-8.5717));
  CHECK(box_muller<52>(0, std::uint64_t{3} << 50, true) == doctest::Approx(-8.5717));
}

TEST_CASE("box_muller<52> has the same bits by every compiler and with every option") {
  test::Numbers numbers;
  std::uint64_t sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t radius = numbers.bits() >> 12;
    const double x = box_muller<52>(radius, numbers.bits() >> 12, i % 2 != 0);
    sum = sum * 31 + __builtin_bit_cast(std::uint64_t, x);
  }
  CHECK(sum == 0x8095F6611F70FC52);
}
