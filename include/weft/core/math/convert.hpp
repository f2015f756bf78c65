// math::convert<To>(from): between element types, with every case defined alike on both devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/math/arithmetic.hpp"

namespace weft::math {

/// `x` as a `To`. Floating to integer rounds toward zero, saturates, and turns NaN into 0; integers
/// wrap; to bool is `x != 0`; half types are rounded once. Complex goes to complex only, and Dual,
/// whose tangent would be lost, to no other floating type.
template <class To, class From>
  requires((is_complex<To> || !is_complex<From>)&&(is_dual<To> || !is_dual<From> ||
                                                   !is_floating<To>))
WEFT_HD constexpr To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (is_dual<From> && !is_dual<To>) {
    return convert<To>(x.value);
  } else if constexpr (is_half<From>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (is_bool<To>) {
    return x != From(0);
  } else if constexpr (is_complex<To> && !is_complex<From>) {
    return To(convert<real_t<To>>(x));
  } else if constexpr (is_integer<To> && is_floating<From>) {
    constexpr From low = static_cast<From>(lowest<To>);
    constexpr From past_high = 2 * static_cast<From>(highest<To> / 2 + 1);
    const bool inside = x >= low && x < past_high;
    const To whole = static_cast<To>(inside ? x : From(0));  // no branch, so that loops vectorise
    return x < low ? lowest<To> : x >= past_high ? highest<To> : whole;
  } else if constexpr (is_bool<From> && is_floating<To> && !is_dual<To>) {
    return choose(x, To(1), To(0));  // by a mask on the CPU: g++ has no vectors of bools
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace weft::math
