// scatter_reduce and index_reduce: values joined with the elements that indices name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/atomic_apply.hpp"
#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

/// How scatter_reduce joins what meets in one element.
namespace combine {
struct Sum {};
struct Product {};
struct Mean {};
struct Maximum {};
struct Minimum {};
inline constexpr Sum sum;
inline constexpr Product prod;
inline constexpr Mean mean;
inline constexpr Maximum max;  ///< NaN where one is among them, as in max(x)
inline constexpr Minimum min;
}  // namespace combine

namespace op {
/// Joins a value with the element that an index names, or reports that it names none.
template <class T, class Finder, detail::Update Kind>
struct combine_at {
  static constexpr const char* text = "scatter_reduce";
  static constexpr bool has_effects = true;
  Finder finder;
  T* data;

  struct Join {
    WEFT_HD compute_t<T> operator()(compute_t<T> x, compute_t<T> y) const {
      if constexpr (Kind == detail::Update::multiply) {
        return math::mul(x, y);
      } else if constexpr (Kind == detail::Update::maximum) {
        return math::maximum(x, y);
      } else {
        return math::minimum(x, y);
      }
    }
  };

  template <class I>
  WEFT_HD bool value(long long offset, I index, compute_t<T> value) const {
    const bool found = finder.find(offset, index);
    if (found) detail::atomic_apply(data + offset, value, Join{});
    return found;
  }
};
}  // namespace op

namespace detail {
/// One of combine::sum, prod, mean, max, min.
template <class How>
concept Combining = std::is_same_v<How, combine::Sum> || std::is_same_v<How, combine::Product> ||
    std::is_same_v<How, combine::Mean> || std::is_same_v<How, combine::Maximum> ||
    std::is_same_v<How, combine::Minimum>;

template <class How>
inline constexpr Update update_for = Update::add;
template <>
inline constexpr Update update_for<combine::Product> = Update::multiply;
template <>
inline constexpr Update update_for<combine::Maximum> = Update::maximum;
template <>
inline constexpr Update update_for<combine::Minimum> = Update::minimum;

/// What leaves each value as it is.
template <class T, class How>
T neutral() {
  if constexpr (std::is_same_v<How, combine::Product>) return static_cast<T>(1);
  if constexpr (std::is_same_v<How, combine::Maximum>) {
    if constexpr (is_floating<T>) return static_cast<T>(-math::infinity<compute_t<T>>);
    if constexpr (!is_floating<T>) return std::numeric_limits<T>::lowest();
  }
  if constexpr (std::is_same_v<How, combine::Minimum>) {
    if constexpr (is_floating<T>) return static_cast<T>(math::infinity<compute_t<T>>);
    if constexpr (!is_floating<T>) return std::numeric_limits<T>::max();
  }
  return static_cast<T>(0);
}

template <Indexing Which, class How, class T, class D, class I, class S>
Tensor<T, D> scatter_joined(const char* operation, const Tensor<T, D>& target, const Axes& axis,
                            const I& indices, const S& source, bool include_self) {
  static_assert(Combining<How>,
                "weft: how values are joined is one of combine::sum, prod, mean, max and min");
  if (!include_self) {
    scatter_axis<Which, Update::store>(operation, target, axis, indices, neutral<T, How>());
  }
  scatter_axis<Which, update_for<How>>(operation, target, axis, indices, source);
  if constexpr (std::is_same_v<How, combine::Mean>) {
    const auto count = full<int64_t>(target.shape(), include_self ? 1 : 0, target.device());
    scatter_axis<Which, Update::add>(operation, count, axis, indices, int64_t{1});
    using C = std::conditional_t<is_floating<T>, T, double>;
    const auto mean = cast<C>(target) / cast<C>(maximum(count, 1));
    if constexpr (is_floating<T>) {
      target.assign(mean);
    } else {
      target.assign(cast<T>(floor(mean)));
    }
  }
  return target;
}
}  // namespace detail

/// Combines the source with the elements of the target at the indices along the axis and the
/// indices' own positions along the others: scatter_reduce(x, axis(0), i, s, combine::max). Writes
/// to the target and returns it. Without `include_self` what stood in those elements has no part in
/// it. Means of integers are rounded down; sums and products of floats have no fixed order on Cuda.
template <class T, Device D, OperandOrMistake I, OperandOrMistake S, class How>
Tensor<T, D> scatter_reduce(const Tensor<T, D>& target, const Axes& axis, const I& indices,
                            const S& source, [[maybe_unused]] How how, bool include_self = true) {
  return detail::scatter_joined<Indexing::along, How>("scatter_reduce", target, axis, indices,
                                                      source, include_self);
}
/// The same for slices of the source and the slices of the target at the indices, as in index_add.
template <class T, Device D, OperandOrMistake I, OperandOrMistake S, class How>
Tensor<T, D> index_reduce(const Tensor<T, D>& target, const Axes& axis, const I& indices,
                          const S& source, [[maybe_unused]] How how, bool include_self = true) {
  return detail::scatter_joined<Indexing::instead, How>("index_reduce", target, axis, indices,
                                                        source, include_self);
}

}  // namespace weft
