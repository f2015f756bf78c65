// half and bfloat16: 16-bit floating-point elements, rounded as CUDA rounds them on every device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "weft/core/config.hpp"
#include "weft/core/ptx.hpp"

namespace weft {

namespace detail {
WEFT_HD constexpr std::uint32_t float_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
WEFT_HD constexpr float float_from_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
/// All ones where a < b, both below 2^31: for loops that vectorise. g++ may turn ?: into branches,
/// and keeps floating-point operations behind them.
WEFT_HD constexpr std::uint32_t mask_below(std::uint32_t a, std::uint32_t b) {
  return 0 -
         static_cast<std::uint32_t>(static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b));
}

/// `x` as float, rounded to odd: rounding that again to 16 bits is as good as rounding `x` once.
WEFT_HD constexpr float round_to_odd(double x) {
  constexpr float max = 0x1.FFFFFEp127F;
  const double a = x < 0 ? -x : x;
  if (a > static_cast<double>(max)) {  // finite numbers stay finite: they are odd already
    const float huge = a == __builtin_inf() ? __builtin_inff() : max;
    return x < 0 ? -huge : huge;
  }
  if (a < 0x1p-126 && a != 0) {  // below the normal floats, which are multiples of 2^-149
    const auto units = static_cast<std::uint32_t>(a * 0x1p149);
    return float_from_bits((x < 0 ? 0x80000000U : 0U) | units | (units != a * 0x1p149 ? 1U : 0U));
  }
  const float nearest = static_cast<float>(x);
  if (static_cast<double>(nearest) == x || x != x) return nearest;
  const bool away = (x > 0) == (static_cast<double>(nearest) > x);
  return float_from_bits((float_bits(nearest) - (away ? 1U : 0U)) | 1U);
}

/// An integer as double, rounded to odd where it needs more than 53 bits; as float if its type fits
/// exactly: GPUs convert to and from double at most a quarter as fast.
template <std::integral I>
WEFT_HD constexpr auto round_to_odd(I x) {
  if constexpr (sizeof(I) <= 2) {
    return static_cast<float>(x);
  } else if constexpr (sizeof(I) == 8) {
    bool negative = false;
    if constexpr (std::is_signed_v<I>) negative = x < 0;
    std::uint64_t u = static_cast<std::uint64_t>(x);
    if (negative) u = 0 - u;
    if (u >> 53 != 0) u = ((u >> 11) | ((u & 0x7FF) != 0 ? 1U : 0U)) << 11;
    return negative ? -static_cast<double>(u) : static_cast<double>(u);
  } else {
    return static_cast<double>(x);
  }
}

// On the CPU by arithmetic on bits: compilers do not vectorise calls of the conversion
// instructions, and g++ 12 no conversion of _Float16.
WEFT_HD constexpr std::uint16_t half_bits(float x) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    return ptx::cvt_f16(x);
  }
#endif
  const std::uint32_t u = float_bits(x);
  const std::uint32_t sign = (u >> 16) & 0x8000U;
  const std::uint32_t a = u & 0x7FFFFFFFU;
  const std::uint32_t normal = (a - 0x38000000U + 0xFFFU + ((a >> 13) & 1U)) >> 13;
  constexpr std::uint32_t least = 0x38800000U;  // of the normal ones
  const std::uint32_t small = mask_below(a, least);
  const std::uint32_t at_most = (a & small) | (least & ~small);
  const std::uint32_t subnormal = float_bits(float_from_bits(at_most) + 0.5F) - 0x3F000000U;
  const std::uint32_t finite = (subnormal & small) | (normal & ~small);
  const std::uint32_t stays = mask_below(a, 0x477FF000U);  // 65520 and more become infinity
  const std::uint32_t bits = sign | (finite & stays) | (0x7C00U & ~stays);
  const std::uint32_t nan = mask_below(0x7F800000U, a);
  return static_cast<std::uint16_t>((bits & ~nan) | (0x7FFFU & nan));
}

WEFT_HD constexpr float half_value(std::uint16_t bits) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    return ptx::cvt_f32(bits);
  }
#endif
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t a = bits & 0x7FFFU;
  const std::uint32_t u = (a << 13) + 0x38000000U;
  const std::uint32_t small = mask_below(a, 0x400U);
  // Once with the implicit bit that a subnormal lacks, and then without it.
  const float scaled = float_from_bits(((a << 13) & small) + 0x38800000U) - 0x1p-14F;
  const std::uint32_t high = 0x38000000U & ~mask_below(a, 0x7C00U);  // infinity and NaN
  return float_from_bits(sign | (float_bits(scaled) & small) | ((u + high) & ~small));
}

WEFT_HD constexpr std::uint16_t bfloat16_bits(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if (!__builtin_is_constant_evaluated()) {
    return ptx::cvt_bf16(x);
  }
#endif
  const std::uint32_t u = float_bits(x);
  const bool nan = (u & 0x7FFFFFFFU) > 0x7F800000U;
  return static_cast<std::uint16_t>(nan ? 0x7FFFU : (u + 0x7FFFU + ((u >> 16) & 1U)) >> 16);
}

WEFT_HD constexpr float bfloat16_value(std::uint16_t bits) {
  return float_from_bits(static_cast<std::uint32_t>(bits) << 16);
}
}  // namespace detail

/// IEEE 754 binary16: 5 exponent and 10 mantissa bits. It becomes a float wherever it is used;
/// the way back is explicit and rounds once, to nearest even; a NaN becomes 0x7FFF.
struct half {
  std::uint16_t bits;

  half() = default;
  WEFT_HD constexpr explicit half(float x) : bits(detail::half_bits(x)) {}
  WEFT_HD constexpr explicit half(double x) : half(detail::round_to_odd(x)) {}
  template <std::integral I>
  WEFT_HD constexpr explicit half(I x) : half(detail::round_to_odd(x)) {}

  WEFT_HD constexpr operator float() const { return detail::half_value(bits); }

  /// The half with the given representation, for instance that of a `__half`.
  WEFT_HD static constexpr half from_bits(std::uint16_t bits) {
    half h{};
    h.bits = bits;
    return h;
  }
};

/// The upper 16 bits of a float: 8 exponent and 7 mantissa bits. Otherwise the same as half.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  WEFT_HD constexpr explicit bfloat16(float x) : bits(detail::bfloat16_bits(x)) {}
  WEFT_HD constexpr explicit bfloat16(double x) : bfloat16(detail::round_to_odd(x)) {}
  template <std::integral I>
  WEFT_HD constexpr explicit bfloat16(I x) : bfloat16(detail::round_to_odd(x)) {}

  WEFT_HD constexpr operator float() const { return detail::bfloat16_value(bits); }

  /// The bfloat16 with the given representation, for instance that of a `__nv_bfloat16`.
  WEFT_HD static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 h{};
    h.bits = bits;
    return h;
  }
};

static_assert(sizeof(half) == 2 && std::is_trivial_v<half>);
static_assert(sizeof(bfloat16) == 2 && std::is_trivial_v<bfloat16>);
static_assert(std::is_convertible_v<half, float> && !std::is_convertible_v<float, half>);

}  // namespace weft

template <>
struct std::numeric_limits<weft::half> : std::numeric_limits<float> {
  using Half = weft::half;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4;
  static constexpr int max_exponent = 16, max_exponent10 = 4;
  static constexpr Half min() noexcept { return Half::from_bits(0x0400); }
  static constexpr Half max() noexcept { return Half::from_bits(0x7BFF); }
  static constexpr Half lowest() noexcept { return Half::from_bits(0xFBFF); }
  static constexpr Half epsilon() noexcept { return Half::from_bits(0x1400); }
  static constexpr Half round_error() noexcept { return Half::from_bits(0x3800); }
  static constexpr Half infinity() noexcept { return Half::from_bits(0x7C00); }
  static constexpr Half quiet_NaN() noexcept { return Half::from_bits(0x7FFF); }
  static constexpr Half signaling_NaN() noexcept { return Half::from_bits(0x7D00); }
  static constexpr Half denorm_min() noexcept { return Half::from_bits(0x0001); }
};

template <>
struct std::numeric_limits<weft::bfloat16> : std::numeric_limits<float> {
  using Half = weft::bfloat16;
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
  static constexpr Half min() noexcept { return Half::from_bits(0x0080); }
  static constexpr Half max() noexcept { return Half::from_bits(0x7F7F); }
  static constexpr Half lowest() noexcept { return Half::from_bits(0xFF7F); }
  static constexpr Half epsilon() noexcept { return Half::from_bits(0x3C00); }
  static constexpr Half round_error() noexcept { return Half::from_bits(0x3F00); }
  static constexpr Half infinity() noexcept { return Half::from_bits(0x7F80); }
  static constexpr Half quiet_NaN() noexcept { return Half::from_bits(0x7FFF); }
  static constexpr Half signaling_NaN() noexcept { return Half::from_bits(0x7FA0); }
  static constexpr Half denorm_min() noexcept { return Half::from_bits(0x0001); }
};
