// Reductions that leave NaN out: nansum, nanmean, nanvar, nanmax, nanargmax and their kin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/statistics/moments.hpp"

namespace weft {

namespace detail {
/// x with NaN replaced by a number.
template <class X>
auto without_nan(const X& x, double value) {
  using C = compute_t<typename X::value_type>;
  return where(isnan(x), static_cast<C>(value), x);
}
/// How many elements are not NaN, as numbers of x's type.
template <class X, class... Options>
auto count_numbers(const X& x, Options... options) {
  return cast<typename X::value_type>(count_nonzero(!isnan(x), options...));
}
template <class... Options>
double correction_of(Options... options) {
  double value = 1;
  [[maybe_unused]] const auto look = [&](auto option) {
    if constexpr (std::is_same_v<decltype(option), Correction>) {
      value = static_cast<double>(option.value);
    }
  };
  (look(options), ...);
  return value;
}
/// The mean along the axes, which stay with size 1.
template <class X, class... Options>
auto nanmean_kept(const X& x, Options... options) {
  constexpr bool kept =
      ((std::is_same_v<Options, Keepdims> || std::is_same_v<Options, bool>) || ...);
  const auto numbers = without_nan(x, 0);
  if constexpr (kept) {
    const auto flag = [](auto option) {
      if constexpr (std::is_same_v<decltype(option), bool> ||
                    std::is_same_v<decltype(option), Keepdims>) {
        return keepdims;
      } else {
        return option;
      }
    };
    return (sum(numbers, flag(options)...) / count_numbers(x, flag(options)...)).eval();
  } else {
    return (sum(numbers, options..., keepdims) / count_numbers(x, options..., keepdims)).eval();
  }
}
}  // namespace detail

// Each takes the options of the reduction or scan without `nan` in its name, is lazy and has
// gradients.

/// The sum of the elements that are not NaN; 0 if all are.
template <ExpressionLike X, class... Options>
auto nansum(const X& x, Options... options) {
  return sum(detail::without_nan(x, 0), options...);
}
/// The product of the elements that are not NaN; 1 if all are.
template <ExpressionLike X, class... Options>
auto nanprod(const X& x, Options... options) {
  return prod(detail::without_nan(x, 1), options...);
}
/// The mean of the elements that are not NaN; NaN if all are.
template <ExpressionLike X, class... Options>
auto nanmean(const X& x, Options... options) {
  return nansum(x, options...) / detail::count_numbers(x, options...);
}
/// The largest element that is not NaN; NaN if all are.
template <ExpressionLike X, class... Options>
auto nanmax(const X& x, Options... options) {
  using C = compute_t<typename X::value_type>;
  return where(detail::count_numbers(x, options...) > C(0),
               max(detail::without_nan(x, -math::infinity<double>), options...), math::nan<C>);
}
/// The smallest element that is not NaN; NaN if all are.
template <ExpressionLike X, class... Options>
auto nanmin(const X& x, Options... options) {
  using C = compute_t<typename X::value_type>;
  return where(detail::count_numbers(x, options...) > C(0),
               min(detail::without_nan(x, math::infinity<double>), options...), math::nan<C>);
}
/// The position of the largest element that is not NaN, the first among equal ones; 0 if all are
/// NaN.
template <ExpressionLike X, class... Options>
auto nanargmax(const X& x, Options... options) {
  return argmax(detail::without_nan(x, -math::infinity<double>), options...);
}
/// The position of the smallest element that is not NaN, the first among equal ones; 0 if all are
/// NaN.
template <ExpressionLike X, class... Options>
auto nanargmin(const X& x, Options... options) {
  return argmin(detail::without_nan(x, math::infinity<double>), options...);
}
/// The variance of the elements that are not NaN, unbiased like var unless correction(n) is given.
/// x is evaluated at the call.
template <ExpressionLike X, class... Options>
auto nanvar(const X& x, Options... options) {
  using C = compute_t<typename X::value_type>;
  const auto value = detail::as_tensor(x);
  const auto divisor = static_cast<C>(detail::correction_of(options...));
  return detail::without_corrections(
      [&](auto... kept) {
        const auto middle = detail::nanmean_kept(value, kept...);
        // NaN must not enter the square either: 0 times its derivative there would be NaN.
        const auto apart =
            where(isnan(value), C(0), square(detail::without_nan(value, 0) - middle));
        const auto count = detail::count_numbers(value, kept...);
        return sum(apart, kept...) / where(count > divisor, count - divisor, math::nan<C>);
      },
      options...);
}
/// The square root of nanvar.
template <ExpressionLike X, class... Options>
auto nanstd(const X& x, Options... options) {
  return sqrt(nanvar(x, options...));
}
/// Running sums in which NaN counts as 0.
template <ExpressionLike X, class... Options>
auto nancumsum(const X& x, Options... options) {
  return cumsum(detail::without_nan(x, 0), options...);
}
/// Running products in which NaN counts as 1.
template <ExpressionLike X, class... Options>
auto nancumprod(const X& x, Options... options) {
  return cumprod(detail::without_nan(x, 1), options...);
}

}  // namespace weft
