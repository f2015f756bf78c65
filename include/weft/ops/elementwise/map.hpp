// Map, the node of every element-wise operation, and lift, which makes one from operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/node.hpp"
#include "weft/core/pack.hpp"
#include "weft/ops/elementwise/operand.hpp"
#include "weft/ops/elementwise/single.hpp"
#include "weft/tensor/access.hpp"

namespace weft {

namespace detail {
template <class Op, class... Cs>
using value_of_t = decltype(std::declval<const Op&>().value(std::declval<Cs>()...));

/// The element type of Op's result: the one it declares, the operands' if it computes in their type
/// (half stays half), else the type it returns (bool, or the real part's type).
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
class Map : public NodeMembers<Map<T, Op, Args...>> {
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
  // Inlined: a function for each is ten times as large as the few calls in it.
  Map(const Map&) = default;
  WEFT_ALWAYS_INLINE Map(Map&&) = default;
  WEFT_ALWAYS_INLINE ~Map() = default;
  Map& operator=(const Map&) = default;
  Map& operator=(Map&&) = default;
  /// Not an assignment of another expression to a variable declared with auto: the error says what
  /// can be written to.
  template <class X>
  void operator=(const X&) const {
    detail::is_target<Map>();
  }

  using NodeMembers<Map>::shape;
  const Shape& shape() const {
    if constexpr (shaped == 1) {
      return detail::shape_of(args_);
    } else {
      return shape_.shape;
    }
  }
  const Op& op() const { return op_; }
  const Pack<Args...>& args() const { return args_; }

 private:
  [[no_unique_address]] Op op_;
  // Before the operands: if these do not broadcast there is nothing to destroy.
  [[no_unique_address]] detail::NodeShape<Args...> shape_;
  Pack<Args...> args_;
};

namespace detail {
/// The operation of e on f(operand) of each of its operands, a node of type M.
template <class M, class T, class Op, class... Args, class F>
M with_operands(const Map<T, Op, Args...>& e, const F& f) {
  if constexpr (sizeof...(Args) == 1) {
    return M(e.op(), f(e.args().head));
  } else if constexpr (sizeof...(Args) == 2) {
    return M(e.op(), f(e.args().head), f(e.args().tail.head));
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return M(e.op(), f(get<static_cast<int>(I)>(e.args()))...);
    }
    (std::index_sequence_for<Args...>{});
  }
}
}  // namespace detail

namespace op {
template <class To>
struct cast;  // in ops/elementwise/cast.hpp
}  // namespace op

template <class Op, class... Xs>
constexpr auto lift(Op op, Xs&&... xs);

namespace detail {
/// Whether X, among other operands of an Op that computes in T, becomes cast<T>(x) by itself.
template <class Op, class T, class X>
inline constexpr bool needs_cast =
    (adapts<X> || converts_to<Op, T, X>)&&!std::is_same_v<element_of_t<X>, undual_t<T>>;
template <class Op, class T, class X>
  requires requires { requires Op::mixes_types; }
inline constexpr bool needs_cast<Op, T, X> = false;

template <class Op, class T, class X>
constexpr decltype(auto) adapted(X&& x) {
  using E = std::remove_cvref_t<X>;
  if constexpr (needs_cast<Op, T, E>) {
    using To = undual_t<T>;
    return lift(op::cast<To>{}, static_cast<X&&>(x));
  } else {
    return static_cast<X&&>(x);
  }
}

/// Whether an operation on operands, a Var among them, has values that are no floating-point or
/// complex numbers (comparisons, casts to integers), and so no gradient.
template <class T, class Op, class... Xs>
constexpr bool ends_gradient() {
  if constexpr ((has_var<Xs> || ...)) {
    using Y = typename ResultOf<Op, T, operand_t<T, Xs>...>::type;
    return !is_floating<Y> && !is_complex<Y> && !is_small<Y>;
  }
  return false;
}

/// The node of an operation on operands that fit together. (Written without an alias that names it
/// twice: nvcc's front end keeps how types were written, and would double them at each level.)
template <class T, class Op, class... Xs>
constexpr auto make_node(Op op, Xs&&... xs) {
  if constexpr (ends_gradient<T, Op, Xs...>()) {
    return make_node<T>(op, detached(static_cast<Xs&&>(xs))...);
  } else if constexpr (are_single<std::remove_cvref_t<Xs>...>) {
    return Single<Map<T, Op, operand_t<T, Xs>...>>(op, static_cast<Xs&&>(xs)...);
  } else {
    return Map<T, Op, operand_t<T, Xs>...>(op, static_cast<Xs&&>(xs)...);
  }
}
/// The same with the usual element types spelled out, so that messages do not show how T was found.
template <class T, class Op, class... Xs>
constexpr auto make_map(Op op, Xs&&... xs) {
  if constexpr (std::is_same_v<T, float>) {
    return make_node<float>(op, static_cast<Xs&&>(xs)...);
  } else if constexpr (std::is_same_v<T, double>) {
    return make_node<double>(op, static_cast<Xs&&>(xs)...);
  } else if constexpr (std::is_same_v<T, half>) {
    return make_node<half>(op, static_cast<Xs&&>(xs)...);
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return make_node<bfloat16>(op, static_cast<Xs&&>(xs)...);
  } else if constexpr (std::is_same_v<T, bool>) {
    return make_node<bool>(op, static_cast<Xs&&>(xs)...);
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return make_node<std::int32_t>(op, static_cast<Xs&&>(xs)...);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return make_node<std::int64_t>(op, static_cast<Xs&&>(xs)...);
  } else {
    return make_node<T>(op, static_cast<Xs&&>(xs)...);
  }
}

/// The same where some must be cast first; a leading condition is none of them.
template <class T, class Op, class... Xs>
constexpr auto lift_adapted(Op op, Xs&&... xs) {
  return make_map<T>(op, adapted<Op, T>(static_cast<Xs&&>(xs))...);
}
template <class T, class Op, class C, class... Xs>
  requires requires { requires Op::first_is_condition; }
constexpr auto lift_adapted(Op op, C&& condition, Xs&&... xs) {
  return make_map<T>(op, static_cast<C&&>(condition), adapted<Op, T>(static_cast<Xs&&>(xs))...);
}

/// Whether an Op on Xs compares integers with a number that their type may not hold; such ones are
/// lifted by ops/elementwise/compare.hpp.
template <class Op, class... Xs>
inline constexpr bool compares_beyond = false;
template <class Op, class X, class Y>
constexpr auto lift_beyond(Op op, X&& x, Y&& y);
}  // namespace detail

/// op(operands...) as an expression; numbers take the tensors' element type. What does not fit
/// together is one compile error with the rule in it.
template <class Op, class... Xs>
constexpr auto lift(Op op, Xs&&... xs) {
  using Check = detail::OperandCheck<Op, std::remove_cvref_t<Xs>...>;
  if constexpr (detail::compares_beyond<Op, std::remove_cvref_t<Xs>...>) {
    return detail::lift_beyond(op, static_cast<Xs&&>(xs)...);
  } else if constexpr (Check::report()) {
    using T = typename Check::element;
    if constexpr ((detail::needs_cast<Op, T, std::remove_cvref_t<Xs>> || ...)) {
      return detail::lift_adapted<T>(op, static_cast<Xs&&>(xs)...);
    } else {
      return detail::make_map<T>(op, static_cast<Xs&&>(xs)...);
    }
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
