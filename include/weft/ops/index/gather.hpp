// take, index_select, gather and take_along_axis: elements selected by index, inside expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/ops/index/indexing.hpp"

namespace weft {

/// The operations that gather: their name in messages, and what their indices stand for.
namespace gathering {
struct take {
  static constexpr const char* text = "take";
  static constexpr Indexing how = Indexing::whole;
};
struct take_axis {
  static constexpr const char* text = "take";
  static constexpr Indexing how = Indexing::instead;
};
struct index_select : take_axis {
  static constexpr const char* text = "index_select";
};
struct gather {
  static constexpr const char* text = "gather";
  static constexpr Indexing how = Indexing::along;
};
struct take_along_axis : gather {
  static constexpr const char* text = "take_along_axis";
};
/// The element of each row at its label, by the name of the loss.
struct cross_entropy : gather {
  static constexpr const char* text = "cross_entropy";
  static constexpr bool labels = true;
};
struct nll_loss : cross_entropy {
  static constexpr const char* text = "nll_loss";
};
struct multi_margin_loss : cross_entropy {
  static constexpr const char* text = "multi_margin_loss";
};
struct multilabel_margin_loss : cross_entropy {
  static constexpr const char* text = "multilabel_margin_loss";
};
struct ctc_loss : cross_entropy {
  static constexpr const char* text = "ctc_loss";
};
}  // namespace gathering

namespace op {
/// The element of type T that an index names; NaN, or 0, and a report, where it names none.
template <class T, class Finder>
struct gathered {
  static constexpr const char* text = "gather";
  static constexpr bool has_effects = true;
  Finder finder;
  const T* data;

  template <class I>
  WEFT_HD compute_t<T> value(long long offset, I index) const {
    return finder.find(offset, index) ? load_element(data[offset]) : none();
  }
  /// What stands for an element that is not there.
  WEFT_HD static compute_t<T> none() {
    if constexpr (is_floating<T> || is_complex<T>) {
      return compute_t<T>(math::nan<real_t<compute_t<T>>>);
    } else {
      return T{};
    }
  }
};
}  // namespace op

/// The elements of E selected by the indices I, in the way that K says. E is a tensor, on CUDA a
/// formula of one tensor too, or evaluated first.
template <class K, class E, class I>
class Gather : public NodeMembers<Gather<K, E, I>> {
 public:
  using value_type = typename E::value_type;
  using device_type = detail::common_device_of<E, I>;
  static constexpr bool is_expression = true;
  static constexpr const char* text = K::text;

  Gather(E x, I indices, int axis)
      : args_{static_cast<E&&>(x), {static_cast<I&&>(indices), {}}},
        axis_(axis),
        shape_(detail::indexed_shape(text, K::how, args_.head.shape(), axis,
                                     args_.tail.head.shape())) {}

  using NodeMembers<Gather>::shape;
  const Shape& shape() const { return shape_; }
  const E& operand() const { return args_.head; }
  const I& indices() const { return args_.tail.head; }
  const Pack<E, I>& args() const { return args_; }
  /// The indexed axis; 0 where the indices are positions in the whole.
  int axis() const { return axis_; }
  /// Whether it gives the same elements of the same operands.
  bool same_as(const Gather& other) const { return axis_ == other.axis_; }

 private:
  Pack<E, I> args_;
  int axis_;
  detail::HeldShape shape_;
};

namespace detail {
/// The node K of x and indices along an axis; a number is an index too.
template <class K, class X, class I>
auto gather(X&& x, I&& indices, const Axes* axes) {
  using E = std::remove_cvref_t<X>;
  using T = typename E::value_type;
  if constexpr (can_index<E, std::remove_cvref_t<I>>()) {
    const bool first =
        axes == nullptr || (x.rank() == 0 && axes->rank() == 1 && is_axis_of_number((*axes)[0]));
    const int along = first ? 0 : one_axis(K::text, *axes, x.rank());
    return Gather<K, operand_t<T, X>, operand_t<int64_t, I>>(
        AsOperand<T, K>{}(static_cast<X&&>(x)), AsOperand<int64_t, K>{}(static_cast<I&&>(indices)),
        along);
  } else {
    return Tensor<
        T, std::conditional_t<Device<typename E::device_type>, typename E::device_type, Cpu>>{};
  }
}
template <class K, class X, class I, class A>
auto gather_axis(X&& x, I&& indices, const A& axes) {
  if constexpr (is_axis<A>()) {
    return gather<K>(static_cast<X&&>(x), static_cast<I&&>(indices), &axes);
  } else {
    return std::remove_cvref_t<X>(static_cast<X&&>(x));
  }
}
}  // namespace detail

/// The elements at row-major positions of x; the result has the indices' shape.
template <ExpressionLike X, OperandOrMistake I>
auto take(X&& x, I&& indices) {
  return detail::gather<gathering::take>(static_cast<X&&>(x), static_cast<I&&>(indices), nullptr);
}
/// The slices of x at the indices, whose axes take the place of the indexed axis: with axis(0), the
/// rows of an embedding.
template <ExpressionLike X, OperandOrMistake I, class A>
auto take(X&& x, I&& indices, const A& axis) {
  return detail::gather_axis<gathering::take_axis>(static_cast<X&&>(x), static_cast<I&&>(indices),
                                                   axis);
}
/// take for indices of rank 1. The axis may come before them, as in PyTorch.
template <ExpressionLike X, OperandOrMistake I, class A>
auto index_select(X&& x, I&& indices, const A& axis) {
  if constexpr (std::is_same_v<std::remove_cvref_t<I>, Axes> && ExpressionLike<A>) {
    return index_select(static_cast<X&&>(x), axis, indices);
  } else {
    if constexpr (ExpressionLike<I>) {
      if (indices.shape().rank() != 1) {
        fail<ShapeError>("index_select", "indices of shape ", indices.shape(),
                         ", expected rank 1: write take(x, indices, axis(n))");
      }
    }
    return detail::gather_axis<gathering::index_select>(static_cast<X&&>(x),
                                                        static_cast<I&&>(indices), axis);
  }
}
/// For each index, the element of x at that position along the axis and at the index's own position
/// along the others, which broadcast. The axis may come before the indices, as in PyTorch.
template <ExpressionLike X, OperandOrMistake I, class A>
auto gather(X&& x, I&& indices, const A& axis) {
  if constexpr (std::is_same_v<std::remove_cvref_t<I>, Axes> && ExpressionLike<A>) {
    return gather(static_cast<X&&>(x), axis, indices);
  } else {
    return detail::gather_axis<gathering::gather>(static_cast<X&&>(x), static_cast<I&&>(indices),
                                                  axis);
  }
}
/// gather under NumPy's name.
template <ExpressionLike X, OperandOrMistake I, class A>
auto take_along_axis(X&& x, I&& indices, const A& axis) {
  return detail::gather_axis<gathering::take_along_axis>(static_cast<X&&>(x),
                                                         static_cast<I&&>(indices), axis);
}

WEFT_MODEL(Node<Gather<gathering::take_axis, Tensor<float, Cpu>, Tensor<int64_t, Cpu>>>);

}  // namespace weft
