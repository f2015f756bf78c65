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

/// How scatter_reduce combines values that go to the same element.
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

/// What leaves each value unchanged.
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

/// The gradients of scatter_reduce and index_reduce, as in PyTorch: largest and smallest elements
/// that are equal share theirs.
template <Indexing Which, class How, class I>
struct CombineRule {
  I at;
  Axes axes;
  bool include_self;

  template <class G, class Pulls, class S>
  void backward(const G& g, const G& y, const Pulls& pulls, const G& x, const S& s) const {
    using T = typename G::value_type;
    using C = compute_t<T>;
    if constexpr (std::is_same_v<How, combine::Sum>) {
      give(pulls, g, [&] { return read(g); });
    } else if constexpr (std::is_same_v<How, combine::Mean>) {
      const G count = full<T>(x.shape(), C(include_self ? 1 : 0), x.device());
      add(count, C(1));
      const G each = g / maximum(count, C(1));
      give(pulls, each, [&] { return read(each); });
    } else if constexpr (std::is_same_v<How, combine::Product>) {
      // The product of the others, where one is 0 too.
      const G self = where(x == C(0), C(1), x);
      give(pulls, G(g * joined(self, s) / self), [&]() -> G {
        const G zeros_at = zeros<T>(x.shape(), x.device());
        add(zeros_at, cast<T>(s == C(0)));
        const auto only_zero = s == C(0) && read(zeros_at) == C(1);
        const G others = joined(x, G(where(only_zero, C(1), s)));
        return where(only_zero, read(G(g * others)), read(G(g * y)) / where(s == C(0), C(1), s));
      });
    } else {
      const G self = cast<T>(x == y);
      const G source = cast<T>(s == read(y));
      const G count = self.clone();
      add(count, source);
      const G each = g / count;
      give(pulls, G(self * each), [&] { return G(source * read(each)); });
    }
  }

 private:
  template <class G>
  G read(const G& x) const {
    if constexpr (Which == Indexing::along) {
      return gather(x, at, axes);
    } else {
      return take(x, at, axes);
    }
  }
  template <class G, class S>
  void add(const G& out, const S& s) const {
    scatter_axis<Which, Update::add>("scatter_reduce", out, axes, at, s);
  }
  template <class G, class S>
  G joined(const G& x, const S& s) const {
    return scatter_joined<Which, How>("scatter_reduce", x.clone(), axes, at, s, include_self);
  }
  template <class Pulls, class G, class F>
  void give(const Pulls& pulls, const G& to_target, const F& to_source) const {
    if (get<0>(pulls).wanted()) {
      const G rest = include_self ? to_target : to_target.clone();
      if (!include_self) {
        scatter_axis<Which, Update::store>("scatter_reduce", rest, axes, at,
                                           compute_t<typename G::value_type>(0));
      }
      get<0>(pulls)(rest);
    }
    if (get<1>(pulls).wanted()) get<1>(pulls)(to_source());
  }
};
template <Indexing Which, class How, class V, class I, class S>
V combined(const char* operation, const V& x, const Axes& axes, const I& at, const S& source,
           bool include_self) {
  if (x.rank() == 0 && axes.rank() == 1 && is_axis_of_number(axes[0])) {
    return combined<Which, How>(operation, x.reshape(Shape{1}), Axes{0}, at.reshape({-1}), source,
                                include_self)
        .reshape(Shape{});
  }
  const int along = one_axis(operation, axes, x.rank());
  const Shape shape = indexed_shape(operation, Which, x.shape(), along, at.shape());
  return Written<V>::by(operation, CombineRule<Which, How, I>{at, axes, include_self}, x, source,
                        shape, [&](const auto& t, const auto& s) {
                          scatter_joined<Which, How>(operation, t, axes, at, s, include_self);
                        });
}
}  // namespace detail

/// Combines the source with the elements of the target at the indices along the axis and the
/// indices' own positions along the others: scatter_reduce(x, axis(0), i, s, combine::max). Writes
/// to the target and returns it. Without `include_self` the elements' old values do not take part.
/// Means of integers are rounded down; sums and products of floats have no fixed order on CUDA.
template <class T, Device D, OperandOrMistake I, OperandOrMistake S, class How>
Tensor<T, D> scatter_reduce(const Tensor<T, D>& target, const Axes& axis, const I& indices,
                            const S& source, [[maybe_unused]] How how, bool include_self = true) {
  return detail::scatter_joined<Indexing::along, How>("scatter_reduce", target, axis, indices,
                                                      source, include_self);
}
/// Combines slices of the source with the slices of the target at the indices, as index_add adds
/// them.
template <class T, Device D, OperandOrMistake I, OperandOrMistake S, class How>
Tensor<T, D> index_reduce(const Tensor<T, D>& target, const Axes& axis, const I& indices,
                          const S& source, [[maybe_unused]] How how, bool include_self = true) {
  return detail::scatter_joined<Indexing::instead, How>("index_reduce", target, axis, indices,
                                                        source, include_self);
}

/// The same for a Var: a new one, with gradients for the target and the source.
template <ExpressionLike X, ExpressionLike I, OperandOrMistake S, class How>
  requires(detail::has_var<X>)
auto scatter_reduce(const X& target, const Axes& axis, const I& indices, const S& source,
                    [[maybe_unused]] How how, bool include_self = true) {
  return detail::combined<Indexing::along, How>("scatter_reduce", target.eval(), axis,
                                                indices.eval(), source, include_self);
}
template <ExpressionLike X, ExpressionLike I, OperandOrMistake S, class How>
  requires(detail::has_var<X>)
auto index_reduce(const X& target, const Axes& axis, const I& indices, const S& source,
                  [[maybe_unused]] How how, bool include_self = true) {
  return detail::combined<Indexing::instead, How>("index_reduce", target.eval(), axis,
                                                  indices.eval(), source, include_self);
}

}  // namespace weft
