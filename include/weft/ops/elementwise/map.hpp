// Map, the node of every element-wise operation, and lift, which makes one from operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/pack.hpp"
#include "weft/ops/elementwise/operand.hpp"
#include "weft/tensor/access.hpp"

namespace weft {

namespace detail {
template <class Op, class... Cs>
using value_of_t = decltype(std::declval<const Op&>().value(std::declval<Cs>()...));

/// The element type of Op's result: what it declares, the operands' where it computes in their
/// type (half stays half), else what it returns (bool, or the real part's type).
template <class Op, class T, class... Args>
struct ResultOf {
  using value = value_of_t<Op, compute_t<typename Args::value_type>...>;
  using type = std::conditional_t<std::is_same_v<value, compute_t<T>>, T, value>;
};
template <class Op, class T, class... Args>
  requires requires { typename Op::result_type; }
struct ResultOf<Op, T, Args...> {
  using type = typename Op::result_type;
};
}  // namespace detail

/// The expression op(args...) for each element, the arguments broadcast to one shape.
template <class T, class Op, class... Args>
class Map {
 public:
  using value_type = typename detail::ResultOf<Op, T, Args...>::type;
  using device_type = detail::common_device_of<Args...>;
  static constexpr bool is_expression = true;
  static_assert(
      requires { Op::text; },
      "weft: an operation has a name: write static constexpr const char* text in its struct");
  static constexpr const char* text = Op::text;
  static constexpr int shaped = detail::shaped_count<Args...>;

  template <class... Xs>
    requires(sizeof...(Xs) == sizeof...(Args))
  explicit Map(Op op, Xs&&... xs)
      : op_(op),
        shape_(Op::text, xs...),
        args_(detail::AsOperand<T, Op>{}, static_cast<Xs&&>(xs)...) {}
  template <class X>
    requires(sizeof...(Args) == 1)
  Map(Op op, X&& x) : op_(op), args_(detail::AsOperand<T, Op>{}, static_cast<X&&>(x)) {}
  template <class X, class Y>
    requires(sizeof...(Args) == 2 && shaped == 1)
  Map(Op op, X&& x, Y&& y)
      : op_(op), args_(detail::AsOperand<T, Op>{}, static_cast<X&&>(x), static_cast<Y&&>(y)) {}
  template <class X, class Y>
    requires(sizeof...(Args) == 2 && shaped == 2)
  Map(Op op, X&& x, Y&& y)
      : op_(op),
        shape_(Op::text, x.shape(), y.shape()),
        args_(detail::AsOperand<T, Op>{}, static_cast<X&&>(x), static_cast<Y&&>(y)) {}
  // Out of line, since an expression moves many, and other expressions have the same. Destroying
  // them so would cost a small statement a tenth of its time.
  [[gnu::noinline]] Map(const Map&) = default;
  [[gnu::noinline]] Map(Map&&) = default;
  ~Map() = default;
  Map& operator=(const Map&) = default;
  Map& operator=(Map&&) = default;

  const Shape& shape() const {
    if constexpr (shaped == 1) {
      return detail::shape_of(args_);
    } else {
      return shape_.shape;
    }
  }
  int rank() const { return shape().rank(); }
  int64_t size() const { return shape().size(); }
  const Op& op() const { return op_; }
  const Pack<Args...>& args() const { return args_; }

  /// The value, in new storage.
  auto eval() const { return typename detail::Evaluated<Map>::type(*this); }
  /// The value of an expression with one element.
  value_type item() const { return eval().item(); }
  template <std::same_as<bool> B>
  explicit operator B() const {
    return detail::is_truth_value<Map>();
  }

 private:
  [[no_unique_address]] Op op_;
  // Before the operands: if these do not broadcast there is nothing to destroy.
  [[no_unique_address]] detail::NodeShape<Args...> shape_;
  Pack<Args...> args_;
};

/// op(operands...) as an expression; numbers take the tensors' element type. What does not fit
/// together is one compile error with the rule in it.
template <class Op, class... Xs>
constexpr auto lift(Op op, Xs&&... xs) {
  using Check = detail::OperandCheck<Op, std::remove_cvref_t<Xs>...>;
  if constexpr (Check::report()) {
    using T = typename Check::element;
    return Map<T, Op, detail::operand_t<T, Xs>...>(op, static_cast<Xs&&>(xs)...);
  } else {
    return typename Check::first{};
  }
}

/// Evaluates an expression into new storage.
template <ExpressionLike E>
auto eval(E&& e) {
  return e.eval();
}

}  // namespace weft
