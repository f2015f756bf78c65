// Normal numbers from random bits by Box and Muller's transform, alike on every device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "weft/core/config.hpp"
#include "weft/core/math/elementary.hpp"

namespace weft::math {

/// x as a double, for |x| < 2^51. On the CPU in steps that have vectors, as the conversion has none
/// before AVX-512.
WEFT_HD inline double exact_double(std::int64_t x) {
#if defined(__CUDA_ARCH__)
  return static_cast<double>(x);
#else
  constexpr double base = 0x1.8p52;
  return __builtin_bit_cast(double, x + __builtin_bit_cast(std::int64_t, base)) - base;
#endif
}
/// The same for 0 <= x < 2^53.
WEFT_HD inline double unsigned_double(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return static_cast<double>(x);
#else
  constexpr double upper = 0x1p84;
  constexpr double lower = 0x1p52;
  return (__builtin_bit_cast(double, x >> 32 | __builtin_bit_cast(std::uint64_t, upper)) -
          (upper + lower)) +
         __builtin_bit_cast(double, (x & 0xFFFFFFFFU) | __builtin_bit_cast(std::uint64_t, lower));
#endif
}

namespace detail {
/// x * y + z in steps that the compiler may choose, or, where `Exact`, fused on every device.
template <bool Exact>
WEFT_HD double multiply_add(double x, double y, double z) {
  if constexpr (Exact) {
    return std::fma(x, y, z);
  } else {
    return x * y + z;
  }
}

/// c + z * (next + z * (...)).
template <bool Exact, class... Cs>
WEFT_HD double horner([[maybe_unused]] double z, double c, Cs... next) {
  if constexpr (sizeof...(next) == 0) {
    return c;
  } else {
    return multiply_add<Exact>(z, horner<Exact>(z, next...), c);
  }
}

/// The logarithm of a normal positive number: u = m 2^k with m from sqrt(1/2) to sqrt(2), and
/// log(m) = 2 atanh(s) by its series, arranged so that f = m - 1 enters unrounded.
template <bool Exact>
WEFT_HD double log_positive(double u) {
  constexpr auto sqrt_half = __builtin_bit_cast(std::uint64_t, 0.70710678118654752440);
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, u);
  // An arithmetic shift has no vectors either: 1024 more is no negative number.
  constexpr std::int64_t more = 1024;
  const std::int64_t exponent =
      static_cast<std::int64_t>((bits - sqrt_half + (std::uint64_t{more} << 52)) >> 52) - more;
  const double k = exact_double(exponent);
  const double f =
      __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(exponent) << 52)) - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double series = horner<Exact>(z, 2. / 3, 2. / 5, 2. / 7, 2. / 9, 2. / 11, 2. / 13, 2. / 15,
                                      2. / 17, 2. / 19, 2. / 21);
  constexpr double ln2_high = 0x1.62e42feep-1;  // times k it is exact
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  const double half_f = 0.5 * f;
  const double square = half_f * f;
  const double rest = multiply_add<Exact>(s, multiply_add<Exact>(z, series, square), k * ln2_low);
  return multiply_add<Exact>(k, ln2_high, -(multiply_add<Exact>(half_f, f, -rest) - f));
}

/// The cosine of a quarter turn times (quadrant + r), for |r| <= 1/2, by Taylor's series.
template <bool Exact>
WEFT_HD double cos_quarter_turns(std::int64_t quadrant, double r) {
  const double z = r * r;
  const double tail =
      horner<Exact>(z, -0.6459640975062463, 0.07969262624616705, -0.004681754135318688,
                    0.00016044118478735983, -3.598843235212085e-06, 5.692172921967927e-08,
                    -6.688035109811468e-10, 6.0669357311061955e-12);
  constexpr double half_pi = 1.5707963267948966;
  constexpr double half_pi_low = 6.123233995736766e-17;
  const double sine =
      multiply_add<Exact>(r, half_pi, r * multiply_add<Exact>(z, tail, half_pi_low));
  const double cosine =
      horner<Exact>(z, 1, -1.2337005501361697, 0.25366950790104803, -0.02086348076335296,
                    0.0009192602748394266, -2.5202042373060607e-05, 4.710874778818172e-07,
                    -6.386603083791852e-09, 6.565963114979473e-11);
  // As bits: g++ would compute the one that is taken in a branch, for which there are no vectors.
  const auto turned = static_cast<std::uint64_t>(quadrant);
  const std::uint64_t odd = 0 - (turned & 1);
  const std::uint64_t size = (__builtin_bit_cast(std::uint64_t, sine) & odd) |
                             (__builtin_bit_cast(std::uint64_t, cosine) & ~odd);
  return __builtin_bit_cast(double, size ^ (((turned + 1) & 2) << 62));
}
}  // namespace detail

/// One of the two normal numbers that Box and Muller make of two integers below 2^Bits; `second`
/// says which. With Bits = 32 it is good for float: double arithmetic whose last bits depend on the
/// device. With Bits = 52 every operation is rounded alike, and so is the result. |value| < 8.6.
template <int Bits>
WEFT_HD double box_muller(std::uint64_t radius, std::uint64_t angle, bool second) {
  static_assert(Bits == 32 || Bits == 52);
  constexpr bool exact = Bits > 32;
  constexpr double unit = 1 / static_cast<double>(std::uint64_t{1} << (Bits - 2));
  // (radius + 1/2) / 2^Bits, which is neither 0 nor 1
  constexpr std::int64_t middle = std::int64_t{1} << (Bits - 1);
  const double u = (exact_double(static_cast<std::int64_t>(radius) - middle) +
                    (static_cast<double>(middle) + 0.5)) *
                   (unit / 4);
  // The angle in quarter turns, as the nearest integer and what is left
  const auto quadrant =
      static_cast<std::int64_t>((angle + (std::uint64_t{1} << (Bits - 3))) >> (Bits - 2));
  const double r = exact_double(static_cast<std::int64_t>(angle) - (quadrant << (Bits - 2))) * unit;
  return sqrt(-2 * detail::log_positive<exact>(u)) *
         detail::cos_quarter_turns<exact>(second ? quadrant - 1 : quadrant, r);
}

}  // namespace weft::math
