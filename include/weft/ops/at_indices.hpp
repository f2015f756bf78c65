// x[mask] and x[indices]: elements that a tensor chooses, to read and to write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/ops/order/select.hpp"

namespace weft {

namespace detail {
/// Compound assignments: read the chosen elements, compute, and write them back.
template <class E>
class UpdatesChosen : public NodeMembers<E> {
 public:
  template <class X>
  void operator+=(const X& x) const {
    self().write(self().node() + x);
  }
  template <class X>
  void operator-=(const X& x) const {
    self().write(self().node() - x);
  }
  template <class X>
  void operator*=(const X& x) const {
    self().write(self().node() * x);
  }
  template <class X>
  void operator/=(const X& x) const {
    self().write(self().node() / x);
  }

 private:
  const E& self() const { return static_cast<const E&>(*this); }
};

/// An axis of `count`, then the axes of `shape` from `first` on.
inline Shape behind(int64_t count, const Shape& shape, int first) {
  Shape out{count};
  for (int i = first; i < shape.rank(); ++i) out.push_back(shape[i]);
  return out;
}

inline void check_mask(const Shape& mask, const Shape& x) {
  bool fits = mask.rank() <= x.rank();
  for (int i = 0; fits && i < mask.rank(); ++i) fits = mask[i] == x[i];
  if (!fits) {
    fail<ShapeError>("index", "a mask of shape ", mask, " for ", x,
                     ", expected the same sizes from the left");
  }
}

/// x[mask] of a Var: a gather, N, which is not assigned to.
template <class N>
class ChosenOfVar : public N {
 public:
  using node_type = N;
  explicit ChosenOfVar(N node) : N(static_cast<N&&>(node)) {}
  ChosenOfVar(const ChosenOfVar&) = default;
  const N& node() const& { return *this; }
  N&& node() && { return static_cast<N&&>(*this); }

  template <class X>
  void operator=(const X&) const {
    static_assert(always_false<X>,
                  "weft: the elements of a Var are not written in place: write x = where(mask, v, "
                  "x) or x = masked_scatter(x, mask, v)");
  }
};

/// The elements of a Var where the mask is true.
template <class X, class M>
auto chosen_of_var(const X& x, const M& mask) {
  const typename Evaluated<X>::type value(x);
  const auto chosen = detached(mask).eval().contiguous();
  check_mask(chosen.shape(), value.shape());
  const Shape rows = behind(chosen.size(), value.shape(), chosen.rank());
  return ChosenOfVar(take(value.contiguous().reshape(rows), true_positions(chosen), axis(0)));
}
}  // namespace detail

/// The elements of x where a mask is true, x[mask]. The mask has the sizes of x's leading axes; the
/// selection has shape (count, rest of x's shape). In an expression it is evaluated; assigned to,
/// it takes a number, a value that broadcasts to one slice, or one value for each slice.
template <class T, Device D>
class Masked : public detail::UpdatesChosen<Masked<T, D>> {
 public:
  using value_type = std::remove_const_t<T>;
  using device_type = D;
  using node_type = Tensor<value_type, D>;
  static constexpr bool is_expression = true;

  Masked(const Tensor<T, D>& x, Tensor<bool, D> mask)
      : x_(x), mask_(static_cast<Tensor<bool, D>&&>(mask)) {
    detail::check_mask(mask_.shape(), x.shape());
  }

  /// The chosen elements, copied.
  node_type node() const {
    if (mask_.rank() == x_.rank()) return masked_select(x_, mask_);
    const auto rows =
        x_.contiguous().reshape(detail::behind(mask_.size(), x_.shape(), mask_.rank()));
    return take(rows, detail::true_positions(mask_.contiguous()), axis(0));
  }
  Shape shape() const { return node().shape(); }

  template <OperandOrMistake X>
  void operator=(const X& x) const {
    write(x);
  }
  void operator=(const Masked& other) const { write(other.node()); }
  Masked(const Masked&) = default;

  /// Writes to the chosen elements.
  template <OperandOrMistake X>
  void write(const X& x) const {
    if constexpr (detail::can_write<T, X>()) {
      if constexpr (!ExpressionLike<X>) {
        x_.assign(where(wide_mask(), x, x_));
      } else {
        const int rest = x_.rank() - mask_.rank();
        const Shape given = x.shape();
        const bool one_for_all = rest < x_.rank() && given.rank() == rest + 1 && given[0] == 1;
        if (given.rank() <= rest || one_for_all) {
          x_.assign(where(wide_mask(), x, x_));
        } else if constexpr (detail::can_become<value_type, D, detail::node_t<X>>()) {
          write_each(Tensor<value_type, D>(x));
        }
      }
    }
  }

 private:
  Tensor<bool, D> wide_mask() const {
    Shape shape = mask_.shape();
    while (shape.rank() < x_.rank()) shape.push_back(1);
    return mask_.reshape(shape);
  }
  void write_each(const Tensor<value_type, D>& values) const {
    const auto positions = detail::true_positions(mask_.contiguous());
    const Shape chosen = detail::behind(positions.size(), x_.shape(), mask_.rank());
    if (!broadcasts_to(values.shape(), chosen)) {
      fail<ShapeError>("index", "values of shape ", values.shape(),
                       " for chosen elements of shape ", chosen,
                       ": for values of all elements write x = where(mask, values, x)");
    }
    const Shape rows = detail::behind(mask_.size(), x_.shape(), mask_.rank());
    const Tensor<T, D> whole = x_.contiguous();
    index_copy(whole.reshape(rows), axis(0), positions, values.expand(chosen));
    if (whole.data() != x_.data()) x_.assign(whole);
  }

  Tensor<T, D> x_;
  Tensor<bool, D> mask_;
};

/// The slices of x along its first axis at integer indices, x[indices]: read like take(x, indices,
/// axis(0)), which fuses, and written by an assignment. If several indices name one slice, any of
/// the writes may win; index_add(x, axis(0), indices, e) adds them all.
template <class T, Device D, class I>
class Picked : public detail::UpdatesChosen<Picked<T, D, I>> {
 public:
  using value_type = std::remove_const_t<T>;
  using device_type = D;
  using node_type = Gather<gathering::take_axis, Tensor<value_type, D>, I>;
  static constexpr bool is_expression = true;

  Picked(const Tensor<T, D>& x, I indices) : x_(x), indices_(static_cast<I&&>(indices)) {}
  Picked(const Picked&) = default;

  node_type node() const { return take(x_, indices_, axis(0)); }
  Shape shape() const { return node().shape(); }

  template <OperandOrMistake X>
  void operator=(const X& x) const {
    write(x);
  }
  void operator=(const Picked& other) const { write(other.node()); }

  /// Writes to the slices.
  template <OperandOrMistake X>
  void write(const X& x) const {
    if constexpr (detail::can_write<T, X>()) {
      if constexpr (!ExpressionLike<X>) {
        index_copy(x_, axis(0), indices_, x);
      } else if constexpr (detail::can_become<value_type, D, detail::node_t<X>>()) {
        index_copy(x_, axis(0), indices_, Tensor<value_type, D>(x).expand(shape()));
      }
    }
  }

 private:
  Tensor<T, D> x_;
  I indices_;
};

/// What x[mask] and x[indices] return; for expressions and Vars they are read-only.
template <ExpressionLike X, ExpressionLike I>
auto at_indices(const X& x, const I& index) {
  using Index = typename I::value_type;
  static_assert(is_bool<Index> || is_integer<Index>,
                "weft: a tensor as index has elements of bool, x[x > 0], or integers");
  if constexpr (!is_bool<Index>) {
    if constexpr (TensorLike<X>) {
      using D = typename X::device_type;
      using Indices = detail::operand_t<int64_t, I>;
      return Picked<std::remove_pointer_t<decltype(x.data())>, D, Indices>(
          x, detail::AsOperand<int64_t, gathering::take_axis>{}(index));
    } else {
      return take(x, index, axis(0));
    }
  } else if constexpr (TensorLike<X>) {
    using D = typename X::device_type;
    return Masked<std::remove_pointer_t<decltype(x.data())>, D>(x, Tensor<bool, D>(index));
  } else if constexpr (detail::has_var<X>) {
    return detail::chosen_of_var(x, index);
  } else {
    return x.eval()[index];
  }
}

}  // namespace weft
