// math: arithmetic, order, division and bits; results are defined even where C++ leaves them open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "weft/core/dtype.hpp"
#include "weft/core/math/bits.hpp"
#include "weft/core/ptx.hpp"

namespace weft::math {

// std::numeric_limits' functions are not callable in device code; these are variables.
template <class T>
inline constexpr T highest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T lowest = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();

namespace detail {
/// The unsigned type in which T's arithmetic wraps: at least 32 bits, since smaller ones promote to
/// int, where uint16 * uint16 overflows.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
}  // namespace detail

template <class T>
WEFT_HD constexpr bool is_nan(T x) {
  if constexpr (is_complex<T>) {
    return x.re != x.re || x.im != x.im;
  } else {
    return x != x;
  }
}
template <class T>
WEFT_HD constexpr bool is_inf(T x) {
  if constexpr (is_complex<T>) {
    return is_inf(x.re) || is_inf(x.im);
  } else if constexpr (std::is_floating_point_v<T>) {
    return x == infinity<T> || x == -infinity<T>;
  } else {
    return false;
  }
}

/// x < 0, without a compiler's warning for unsigned types.
template <class T>
WEFT_HD constexpr bool is_negative(T x) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else {
    return x < 0;
  }
}

template <class T>
WEFT_HD constexpr T add(T x, T y) {
  if constexpr (is_integer<T>) {
    using U = detail::Wrapping<T>;
    return static_cast<T>(static_cast<U>(x) + static_cast<U>(y));
  } else {
    return x + y;
  }
}
template <class T>
WEFT_HD constexpr T sub(T x, T y) {
  if constexpr (is_integer<T>) {
    using U = detail::Wrapping<T>;
    return static_cast<T>(static_cast<U>(x) - static_cast<U>(y));
  } else {
    return x - y;
  }
}
template <class T>
WEFT_HD constexpr T mul(T x, T y) {
  if constexpr (is_integer<T>) {
    using U = detail::Wrapping<T>;
    return static_cast<T>(static_cast<U>(x) * static_cast<U>(y));
  } else {
    return x * y;
  }
}
template <class T>
WEFT_HD constexpr T neg(T x) {
  if constexpr (is_integer<T>) {
    return sub(T(0), x);
  } else {
    return -x;
  }
}

/// Integers: rounded toward zero; x / 0 is 0, and the lowest number / -1 is itself.
template <class T>
WEFT_HD constexpr T div(T x, T y) {
  if constexpr (is_integer<T>) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == T(-1)) return neg(x);
    }
    return static_cast<T>(x / y);
  } else {
    return x / y;
  }
}
/// The remainder with the sign of `x`, as C++'s % and fmod; for integers x % 0 is 0.
template <class T>
WEFT_HD constexpr T mod(T x, T y) {
  if constexpr (is_integer<T>) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == T(-1)) return 0;
    }
    return static_cast<T>(x % y);
  } else {
    return std::fmod(x, y);
  }
}

/// condition ? a : b; for floats on the CPU by masks: ?: may become a branch around one side's
/// arithmetic, which keeps loops from being vectorised.
template <class T>
WEFT_HD WEFT_INLINE constexpr T choose(bool condition, T a, T b) {
#if !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    using Bits = simd::detail::Bits<T>;
    const Bits mask = Bits{0} - static_cast<Bits>(condition);
    return __builtin_bit_cast(
        T, (__builtin_bit_cast(Bits, a) & mask) | (__builtin_bit_cast(Bits, b) & ~mask));
  }
#endif
  return condition ? a : b;
}

/// remainder(x, y) from r = mod(x, y).
template <std::floating_point T>
WEFT_HD WEFT_INLINE constexpr T remainder_from(T r, T y) {
  return choose(r == 0, std::copysign(r, y), choose((r < 0) != (y < 0), r + y, r));
}
/// The remainder with the sign of `y`, as Python's and NumPy's %; for integers it is 0 if y is.
template <class T>
WEFT_HD constexpr T remainder(T x, T y) {
  const T r = mod(x, y);
  if constexpr (is_integer<T>) {
    return r != 0 && is_negative(r) != is_negative(y) ? static_cast<T>(r + y) : r;
  } else {
    return remainder_from(r, y);
  }
}

/// The larger one; NaN if either is NaN.
template <class T>
WEFT_HD constexpr T maximum(T x, T y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {  // one instruction instead of three
    return weft::detail::ptx::max_nan(x, y);
  }
#endif
  if constexpr (std::is_floating_point_v<T>) {
    return choose((x > y) | is_nan(x), x, y);
  } else {
    return x > y || is_nan(x) ? x : y;
  }
}
template <class T>
WEFT_HD constexpr T minimum(T x, T y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {
    return weft::detail::ptx::min_nan(x, y);
  }
#endif
  if constexpr (std::is_floating_point_v<T>) {
    return choose((x < y) | is_nan(x), x, y);
  } else {
    return x < y || is_nan(x) ? x : y;
  }
}
/// The larger one; the other one if one is NaN.
template <class T>
WEFT_HD constexpr T fmax(T x, T y) {
  return x > y || is_nan(y) ? x : y;
}
template <class T>
WEFT_HD constexpr T fmin(T x, T y) {
  return x < y || is_nan(y) ? x : y;
}
template <class T>
WEFT_HD constexpr T clamp(T x, T low, T high) {
  return minimum(maximum(x, low), high);
}

/// -1, 0 or 1; NaN stays NaN.
template <class T>
WEFT_HD constexpr T sign(T x) {
  if constexpr (is_integer<T>) {
    return static_cast<T>((x != 0) - 2 * is_negative(x));
  } else {
#if !defined(__CUDA_ARCH__)
    if constexpr (std::is_floating_point_v<T>) {  // products with it would become branches
      if (!std::is_constant_evaluated()) return simd::sign(x);
    }
#endif
    return x > 0 ? T(1) : x < 0 ? T(-1) : is_nan(x) ? x : T(0);
  }
}
/// The lowest integer's absolute value is itself.
template <std::integral T>
WEFT_HD constexpr T abs(T x) {
  return is_negative(x) ? neg(x) : x;
}
template <class T>
WEFT_HD constexpr T square(T x) {
  return mul(x, x);
}

template <class T>
WEFT_HD constexpr T bit_and(T x, T y) {
  return static_cast<T>(x & y);
}
template <class T>
WEFT_HD constexpr T bit_or(T x, T y) {
  return static_cast<T>(x | y);
}
template <class T>
WEFT_HD constexpr T bit_xor(T x, T y) {
  return static_cast<T>(x ^ y);
}
/// All bits flipped; for bool, the logical not.
template <class T>
WEFT_HD constexpr T bit_not(T x) {
  if constexpr (is_bool<T>) {
    return !x;
  } else {
    return static_cast<T>(~x);
  }
}

/// x * 2^n; 0 when n is negative or not less than the number of bits.
template <std::integral T>
WEFT_HD constexpr T shift_left(T x, T n) {
  constexpr int bits = 8 * sizeof(T);
  if (is_negative(n) || n >= static_cast<T>(bits)) return 0;
  return static_cast<T>(static_cast<detail::Wrapping<T>>(x) << static_cast<int>(n));
}
/// x / 2^n rounded down; 0, or -1 for negative x, when n is out of range as above.
template <std::integral T>
WEFT_HD constexpr T shift_right(T x, T n) {
  constexpr int bits = 8 * sizeof(T);
  if (is_negative(n) || n >= static_cast<T>(bits))
    return is_negative(x) ? static_cast<T>(-1) : T(0);
  return static_cast<T>(x >> static_cast<int>(n));
}

/// Integers wrap; a negative power of an integer is rounded toward zero (0 unless x is 1 or -1).
template <std::integral T>
WEFT_HD constexpr T pow(T x, T n) {
  if (is_negative(n)) {
    if (x == 1) return 1;
    if (x == T(-1)) return n % 2 == 0 ? T(1) : T(-1);
    return 0;
  }
  T power = 1;
  while (n != 0) {
    if (n % 2 != 0) power = mul(power, x);
    x = mul(x, x);
    n = static_cast<T>(n / 2);
  }
  return power;
}

}  // namespace weft::math
