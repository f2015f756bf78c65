// Number formats of 8, 4 and 2 bits: how floats become codes, and codes floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/core/config.hpp"

namespace weft {

/// What happens to a number that a small format cannot hold.
enum class Overflow : unsigned char {
  saturate,  ///< the format's largest number
  natural    ///< infinity, NaN or the largest number, the first that the format has; an
             ///< integer's low bits
};

namespace detail {

/// The special codes of a small floating format.
enum class Specials : unsigned char {
  ieee,     // infinities and NaNs in the highest exponent
  nan,      // S.1111.111 is NaN, there is no infinity
  no_sign,  // 0x80 is NaN: no -0 and no infinity
  none      // numbers only
};

WEFT_HD constexpr float power_of_two(int e) {
  // In two factors, since 2^e itself may be subnormal.
  const int a = e < -126 ? -126 : e > 127 ? 127 : e;
  const int b = e - a;
  const auto one = [](int n) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(n + 127) << 23);
  };
  return b == 0 ? one(a) : one(a) * one(b);
}

/// A sign, an exponent and a mantissa in the low bits of a byte.
template <int Exponent, int Mantissa, int Bias, Specials Special>
struct SmallFloat {
  static constexpr int bits = 1 + Exponent + Mantissa;
  static constexpr unsigned sign = 1U << (bits - 1);
  /// The code of the largest number.
  static constexpr unsigned largest = Special == Specials::ieee  ? sign - 1 - (1U << Mantissa)
                                      : Special == Specials::nan ? sign - 2
                                                                 : sign - 1;
  static constexpr unsigned nan = Special == Specials::no_sign ? sign : sign - 1;  // as CUDA has it

  WEFT_HD static constexpr float decode(std::uint8_t code) {
    const unsigned c = code & (2 * sign - 1);
    const unsigned a = c & (sign - 1);
    const bool negative = (c & sign) != 0;
    if constexpr (Special == Specials::no_sign) {
      if (c == sign) return __builtin_nanf("");
    } else if constexpr (Special != Specials::none) {
      if (a > largest) {
        if (Special == Specials::ieee && a == largest + 1) {
          return negative ? -__builtin_inff() : __builtin_inff();
        }
        return __builtin_nanf("");
      }
    }
    const int e = static_cast<int>(a >> Mantissa);
    const unsigned m = a & ((1U << Mantissa) - 1);
    const float value =
        e == 0 ? static_cast<float>(m) * power_of_two(1 - Bias - Mantissa)
               : static_cast<float>(m + (1U << Mantissa)) * power_of_two(e - Bias - Mantissa);
    return negative ? -value : value;
  }

  /// The nearest number's code; of two equally near ones the even one.
  WEFT_HD static constexpr std::uint8_t encode(float x, Overflow overflow) {
    const std::uint32_t u = __builtin_bit_cast(std::uint32_t, x);
    const unsigned minus = (u >> 31) != 0 ? sign : 0;
    if (x != x) {
      if (Special == Specials::none) return static_cast<std::uint8_t>(sign);
      return static_cast<std::uint8_t>(Special == Specials::no_sign ? nan : nan | minus);
    }
    const std::uint32_t bits_of_a = u & 0x7FFFFFFFU;
    const float a = __builtin_bit_cast(float, bits_of_a);
    if (a >= beyond()) return static_cast<std::uint8_t>(over(minus, overflow));
    // In units of the last place of the number's exponent, rounded by the float's own rule.
    int e = static_cast<int>(bits_of_a >> 23) - 127;
    if (e < 1 - Bias) e = 1 - Bias;
    const float scaled = a * power_of_two(Mantissa - e);
    const float rounded = (scaled + 8388608.F) - 8388608.F;
    const auto q = static_cast<unsigned>(rounded);
    const unsigned code = q + (static_cast<unsigned>(e + Bias - 1) << Mantissa);
    if (Special == Specials::no_sign && code == 0) return 0;
    return static_cast<std::uint8_t>(code | minus);
  }

 private:
  /// Half a place above the largest number: what rounds away from it. A tie goes to the even code,
  /// and the largest one of every format but float4_e2m1, float8_e4m3fnuz and e5m2 is even.
  WEFT_HD static constexpr float beyond() {
    const int e = static_cast<int>(largest >> Mantissa);
    const float top = decode(static_cast<std::uint8_t>(largest));
    const float half_place = power_of_two(e - Bias - Mantissa - 1);
    const float tie = top + half_place;
    if ((largest & 1U) != 0) return tie;
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, tie) + 1);
  }
  WEFT_HD static constexpr unsigned over(unsigned minus, Overflow overflow) {
    if (overflow == Overflow::saturate || Special == Specials::none) return largest | minus;
    if constexpr (Special == Specials::ieee) return (largest + 1) | minus;
    return Special == Specials::no_sign ? nan : nan | minus;
  }
};

/// An integer of a few bits, kept in a byte as int8_t or uint8_t would be.
template <int Bits, bool Signed>
struct SmallInteger {
  static constexpr int bits = Bits;
  static constexpr int low = Signed ? -(1 << (Bits - 1)) : 0;
  static constexpr int high = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;

  WEFT_HD static constexpr float decode(std::uint8_t code) {
    const int c = code & ((1 << Bits) - 1);
    return static_cast<float>(Signed && c > high ? c - (1 << Bits) : c);
  }
  /// Rounded toward zero; NaN is 0.
  WEFT_HD static constexpr std::uint8_t encode(float x, Overflow overflow) {
    if (x != x) return 0;
    const bool saturates = overflow == Overflow::saturate || x >= 0x1p31F || x <= -0x1p31F;
    const int n = saturates && x >= high ? high : saturates && x <= low ? low : static_cast<int>(x);
    return static_cast<std::uint8_t>(n & ((1 << Bits) - 1));
  }
};

}  // namespace detail

/// 4 exponent and 3 mantissa bits, up to 448, NaN but no infinity (the e4m3fn of ONNX and PyTorch).
using float8_e4m3 = detail::SmallFloat<4, 3, 7, detail::Specials::nan>;
/// 4 exponent and 3 mantissa bits, up to 240, without infinity and -0.
using float8_e4m3fnuz = detail::SmallFloat<4, 3, 8, detail::Specials::no_sign>;
/// 5 exponent and 2 mantissa bits, up to 57344, with infinity and NaN as IEEE 754 has them.
using float8_e5m2 = detail::SmallFloat<5, 2, 15, detail::Specials::ieee>;
/// 5 exponent and 2 mantissa bits, up to 57344, without infinity and -0.
using float8_e5m2fnuz = detail::SmallFloat<5, 2, 16, detail::Specials::no_sign>;
/// 2 exponent bits and 1 mantissa bit: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives; NaN is -0.
using float4_e2m1 = detail::SmallFloat<2, 1, 1, detail::Specials::none>;
/// -8 to 7.
using int4 = detail::SmallInteger<4, true>;
/// 0 to 15.
using uint4 = detail::SmallInteger<4, false>;
/// -2 to 1.
using int2 = detail::SmallInteger<2, true>;
/// 0 to 3.
using uint2 = detail::SmallInteger<2, false>;

/// Powers of two from 2^-127 to 2^127, the scales of blocks of smaller numbers; 0xFF is NaN.
struct float8_e8m0 {
  static constexpr int bits = 8;

  WEFT_HD static constexpr float decode(std::uint8_t code) {
    return code == 0xFF ? __builtin_nanf("") : detail::power_of_two(code - 127);
  }
  /// The nearest power of two, of two equally near ones the larger one; negative numbers and NaN
  /// are NaN, 0 is the smallest power.
  WEFT_HD static constexpr std::uint8_t encode(float x, Overflow overflow) {
    return rounded(x, overflow, 1U << 22);
  }
  /// The next power of two that is not smaller.
  WEFT_HD static constexpr std::uint8_t encode_up(float x, Overflow overflow) {
    return rounded(x, overflow, (1U << 23) - 1);
  }
  /// The next power of two that is not larger.
  WEFT_HD static constexpr std::uint8_t encode_down(float x, Overflow overflow) {
    return rounded(x, overflow, 0);
  }

 private:
  WEFT_HD static constexpr std::uint8_t rounded(float x, Overflow overflow, std::uint32_t more) {
    const std::uint32_t u = __builtin_bit_cast(std::uint32_t, x);
    if (x != x || (u >> 31) != 0) return (u << 1) == 0 ? 0 : 0xFF;
    if (u < 0x00800000U) return u > 0x00400000U && more != 0 ? 1 : 0;  // 2^-127 is subnormal
    const std::uint32_t code = (u + more) >> 23;
    if (code >= 0xFF) return overflow == Overflow::saturate ? 0xFE : 0xFF;
    return static_cast<std::uint8_t>(code);
  }
};

}  // namespace weft
