// Sums in reductions: the type integers widen to, and the initial value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"

namespace weft::reducer {

/// The type in which NumPy sums integers.
template <class T>
using widened = std::conditional_t<
    is_bool<T>, std::int64_t,
    std::conditional_t<is_integer<T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>, T>>;

template <class T>
using mean_of = std::conditional_t<is_integer<T>, double, T>;

template <class C>
struct Sum {
  C value{};
};
/// A sum that begins from -0, which changes no number it is added to: -0 alone stays -0, as in
/// NumPy.
template <class C>
struct SignedSum {
  C value = C(-0.0);
};
template <class C>
using SumOf = std::conditional_t<std::is_floating_point_v<C>, SignedSum<C>, Sum<C>>;
/// The sum; 0 for no elements.
template <class C>
WEFT_HD C finished_sum(C value, [[maybe_unused]] long long count) {
  if constexpr (std::is_floating_point_v<C>) {
    return count == 0 ? C(0) : value;
  } else {
    return value;
  }
}

/// The sum of n values, of small integers in 32 bits.
template <class S, class C, int N>
WEFT_HD S sum_of(const C (&x)[N]) {
  if constexpr (std::is_integral_v<C> && sizeof(C) <= 2) {
    int sum = 0;
    for (int i = 0; i < N; ++i) sum += x[i];
    return static_cast<S>(sum);
  } else {
    S sum = static_cast<S>(x[0]);
    for (int i = 1; i < N; ++i) sum = math::add(sum, static_cast<S>(x[i]));
    return sum;
  }
}

}  // namespace weft::reducer
