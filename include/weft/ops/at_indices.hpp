// x[mask] and x[indices]: elements that a tensor chooses, to read and to write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/ops/order/select.hpp"

namespace weft {

namespace detail {
/// The operators that read what was chosen, compute, and write it back.
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

/// The axes of `shape` from `first` on, behind one of `count`.
inline Shape behind(int64_t count, const Shape& shape, int first) {
  Shape out{count};
  for (int i = first; i < shape.rank(); ++i) out.push_back(shape[i]);
  return out;
}
}  // namespace detail

/// The elements of x where a mask holds, x[mask]. The mask has the sizes of x's axes from the left;
/// what is chosen is (count, rest of x's shape). As an expression they are read, which evaluates
/// them; assignment writes a number, what broadcasts to the rest, or a value for each.
template <class T, Device D>
class Masked : public detail::UpdatesChosen<Masked<T, D>> {
 public:
  using value_type = std::remove_const_t<T>;
  using device_type = D;
  using node_type = Tensor<value_type, D>;
  static constexpr bool is_expression = true;

  Masked(const Tensor<T, D>& x, Tensor<bool, D> mask)
      : x_(x), mask_(static_cast<Tensor<bool, D>&&>(mask)) {
    bool fits = mask_.rank() <= x.rank();
    for (int i = 0; fits && i < mask_.rank(); ++i) fits = mask_.shape()[i] == x.shape()[i];
    if (!fits) {
      fail<ShapeError>("index", "a mask of shape ", mask_.shape(), " for ", x.shape(),
                       ", expected the same sizes from the left");
    }
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
        if (given.rank() <= rest || (given.rank() == rest + 1 && given[0] == 1)) {
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

/// The slices of x along its first axis that integers name, x[indices]: read as take(x, indices,
/// axis(0)), fused like it, and written where something is assigned. Of several writes to one
/// element any counts; index_add(x, axis(0), indices, e) adds them.
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

/// What x[mask] and x[indices] give; the same for expressions, and Vars with indices, to read only.
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
  } else {
    static_assert(!detail::has_var<X>,
                  "weft: x[mask] of a Var has no gradient: write masked_select(x, mask), "
                  "where(mask, x, 0) or x.detach()[mask]");
    if constexpr (!detail::has_var<X>) {
      return x.eval()[index];
    } else {
      return x.detach();
    }
  }
}

}  // namespace weft
