// Gamma variates in float arithmetic, which takes a third of the instructions of double.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/random/variates.hpp"

namespace weft::math {

namespace detail {
/// c + z * (next + z * (...)), each step rounded once.
template <class... Cs>
WEFT_HD float horner_float([[maybe_unused]] float z, float c, Cs... next) {
  if constexpr (sizeof...(next) == 0) {
    return c;
  } else {
    return std::fma(z, horner_float(z, next...), c);
  }
}
}  // namespace detail

/// log_positive() of box_muller.hpp in float: of a normal positive number, rounded alike
/// everywhere.
WEFT_HD inline float log_positive_float(float u) {
  constexpr auto sqrt_half = __builtin_bit_cast(std::uint32_t, 0.70710678F);
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, u);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - sqrt_half) >> 23;
  const auto k = static_cast<float>(exponent);
  const float m = __builtin_bit_cast(float, bits - (static_cast<std::uint32_t>(exponent) << 23));
  const float f = m - 1.F;
  const float s = f / (m + 1.F);
  const float z = s * s;
  const float series = detail::horner_float(z, 2.F / 3, 2.F / 5, 2.F / 7, 2.F / 9, 2.F / 11);
  // log(m) = 2 s + s z series, and 2 s = f - s f
  const float rest = std::fma(s, z * series, k * 1.42860677e-6F);
  return std::fma(k, 0.693145752F, f + std::fma(-s, f, rest));
}

/// A number of mean 0 and deviation 1 from two words of random bits: Box and Muller's transform.
WEFT_HD inline float normal_float(std::uint32_t radius, std::uint32_t angle) {
  const float u = std::fma(static_cast<float>(radius), 0x1p-32F, 0x1p-33F);
  // The angle in quarter turns, as the nearest integer and what is left
  const std::uint32_t quadrant = (angle + (1U << 29)) >> 30;
  const float r =
      static_cast<float>(static_cast<std::int32_t>(angle - (quadrant << 30))) * 0x1p-30F;
  const float z = r * r;
  const float sine = r * detail::horner_float(z, 1.57079633F, -0.645964098F, 0.0796926262F,
                                              -0.00468175414F, 0.000160441185F);
  const float cosine = detail::horner_float(z, 1.F, -1.23370055F, 0.253669508F, -0.0208634808F,
                                            0.00091926028F, -2.52020424e-5F);
  const float size = (quadrant & 1) != 0 ? sine : cosine;
  const float log_u = log_positive_float(u);
  const float length = std::sqrt(log_u < 0 ? -2.F * log_u : 0.F);
  return length * (((quadrant + 1) & 2) != 0 ? -size : size);
}

}  // namespace weft::math

namespace weft::variate {

/// gamma::draw() as a float: a block of Philox has all that an attempt needs. The same on every
/// device for shapes of at least 1; below, exp is each device's own.
WEFT_HD inline float draw_float_gamma(ElementBits bits, float shape, float scale) {
  // In (0, 1]: the last of 2^24 words rounds to 1, whose logarithm, 0, does no harm below.
  const auto positive = [](std::uint32_t word) {
    return std::fma(static_cast<float>(word >> 8), 0x1p-24F, 0x1p-25F);
  };
  PhiloxBlock x = bits.block();
  float boost = 0;
  const bool below = shape < 1;
  if (below) {
    boost = math::log_positive_float(positive(x.d)) / shape;
    shape += 1;
  }
  const float d = shape - 1.F / 3;
  const float c = 1.F / std::sqrt(9.F * d);
  float size = 0;
  for (;; x = bits.block()) {
    const float normal = math::normal_float(x.a, x.b);
    const float root = std::fma(c, normal, 1.F);
    if (root <= 0) continue;
    const float v = root * root * root;
    const float square = normal * normal;
    const float u = positive(x.c);
    size = d * v;
    if (u < std::fma(-0.0331F * square, square, 1.F)) break;
    // 1 - v + log(v), in steps that no compiler fuses in its own way
    const float gap =
        std::fma(3.F, math::log_positive_float(root), std::fma(-root * root, root, 1.F));
    if (math::log_positive_float(u) < std::fma(0.5F, square, d * gap)) break;
  }
  return (below ? size * math::exp(boost) : size) * scale;
}

}  // namespace weft::variate
