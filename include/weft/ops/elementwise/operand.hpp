// Operands of an operation: which go together, and how tensors and numbers enter a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include "weft/core/broadcast.hpp"
#include "weft/core/checked_cast.hpp"
#include "weft/core/pack.hpp"
#include "weft/ops/elementwise/leading.hpp"
#include "weft/tensor/access.hpp"

namespace weft {

/// A number in an expression, already in the type that the operation computes in.
template <class T>
struct Scalar {
  using number = T;
  using value_type = T;
  using device_type = AnyDevice;
  static constexpr bool is_expression = true;
  static const Shape& shape() {
    static const Shape scalar_shape{};
    return scalar_shape;
  }
  T value;
};

namespace autograd {
template <class E>
decltype(auto) without_vars(const E& e);  // in autograd/expression/without_vars.hpp
}  // namespace autograd

namespace detail {

/// An expression with each Var replaced by its values, as operand of what has no gradient.
template <class X>
constexpr decltype(auto) detached(X&& x) {
  if constexpr (has_var<X>) {
    return autograd::without_vars(node(x));
  } else {
    return static_cast<X&&>(x);
  }
}

template <class X>
struct DeviceOf {
  using type = AnyDevice;
};
template <Expression X>
struct DeviceOf<X> {
  using type = typename X::device_type;
};

template <class D, class... Xs>
struct CommonDeviceOf {
  using type = D;
};
template <class D, class X, class... Xs>
struct CommonDeviceOf<D, X, Xs...> {
  using type = typename CommonDeviceOf<common_device_t<D, typename DeviceOf<X>::type>, Xs...>::type;
};
/// The device of an operation on Xs; NoDevice when they do not mix.
template <class... Xs>
using common_device_of = typename CommonDeviceOf<AnyDevice, Xs...>::type;

template <class... Xs>
struct FirstExpression;
template <class X, class... Xs>
struct FirstExpression<X, Xs...> : FirstExpression<Xs...> {};
template <Expression X, class... Xs>
struct FirstExpression<X, Xs...> {
  using type = Tensor<typename X::value_type,
                      std::conditional_t<std::is_same_v<typename X::device_type, AnyDevice>, Cpu,
                                         typename X::device_type>>;
};

template <class T, class X>
inline constexpr bool element_fits =
    Expression<X> ? std::is_same_v<element_of_t<X>, T> ||
                        (adapts<X> && (!is_integer<T> || !is_floating<element_of_t<X>>))
                  : (is_complex<element_of_t<X>>    ? is_complex<T>
                     : is_floating<element_of_t<X>> ? is_floating<T> || is_complex<T>
                                                    : true);

/// The types that an operation requires to agree: all of them, or all but a leading condition.
template <class Op, class... Xs>
struct Valued {
  using element = typename Common<Op, typename Leading<Xs...>::type, Xs...>::type;
  static constexpr bool condition = true;
  static constexpr bool elements =
      ((element_fits<element, Xs> || converts_to<Op, element, Xs>)&&...);
};
template <class Op, class C, class... Xs>
  requires requires { requires Op::first_is_condition; }
struct Valued<Op, C, Xs...> : Valued<void, Xs...> {
  static constexpr bool condition = is_bool<element_of_t<C>>;
};
template <class Op, class... Xs>
  requires requires { requires Op::mixes_types; }
struct Valued<Op, Xs...> {
  using element = typename Leading<Xs...>::type;
  static constexpr bool condition = true;
  static constexpr bool elements = true;
};

/// Whether an operation takes elements of type T, or one compile error that says what it takes.
template <class Op, class T>
constexpr bool in_domain() {
  if constexpr (requires { typename Op::domain; }) {
    constexpr bool numbers = !is_small<T> || std::is_same_v<typename Op::domain, op::Any>;
    static_assert(numbers,
                  "weft: this operation takes numbers, not Small: write components(x), the view of "
                  "its numbers, or map(f, x)");
    if constexpr (numbers) return Op::domain::template report<T>();
    return false;
  } else {
    static_assert(sizeof(Op) == 0,
                  "weft: an operation names the element types it takes: write using domain = "
                  "weft::op::Numeric (or Floating, Real, ...) in its struct");
    return false;
  }
}

/// Whether operands of these types go together, and the element type of the operation.
template <class Op, class... Xs>
struct OperandCheck : Valued<Op, Xs...> {
  using typename Valued<Op, Xs...>::element;
  using first = typename FirstExpression<Xs...>::type;
  static constexpr bool on_cpu = (std::is_same_v<typename DeviceOf<Xs>::type, Cpu> || ...);
  static constexpr bool devices = !std::is_same_v<common_device_of<Xs...>, NoDevice>;

  static constexpr bool operands = ((Expression<Xs> || Number<Xs>)&&...);

  /// True, or one compile error whose first line is the rule that is broken.
  static constexpr bool report() {
    using Check = OperandCheck;
    static_assert(operands,
                  "weft: an operand is a tensor, an expression or a number of an element type: "
                  "write tensor(v) for a container, borrow(p, shape) for a pointer");
    static_assert(devices || !on_cpu,
                  "weft: one operand is on Cpu and another on Cuda; an operation runs on one "
                  "device: write x.to(Cuda{}) or x.to(Cpu{})");
    static_assert(devices || on_cpu,
                  "weft: one operand is on CudaAt<M> and another on CudaAt<N>; an operation runs "
                  "on one device: write x.to(CudaAt<N>{})");
    if constexpr (devices && operands) {
      static_assert(Check::condition,
                    "weft: a condition must have element type bool: write x != 0");
      static_assert(Check::elements,
                    "weft: element types do not mix silently (nor does a floating-point number "
                    "with an integer tensor): write cast<T>(x)");
      if constexpr (Check::condition && Check::elements) return in_domain<Op, element>();
    }
    return false;
  }
};

template <class T, class X>
struct OperandType {
  using type = Scalar<compute_t<T>>;
};
template <class T, Expression X>
struct OperandType<T, X> {
  using type = X;
};
template <class T, class U, class D>
struct OperandType<T, Tensor<const U, D>> {
  using type = Tensor<U, D>;
};
/// What X becomes inside a node of element type T.
template <class T, class X>
using operand_t = typename OperandType<T, node_t<X>>::type;

/// Makes the operands of a node: a handle, expression or number as it is stored there.
template <class T, class Op>
struct AsOperand {
  static constexpr bool makes_operands = true;
  template <class X>
  constexpr operand_t<T, X> operator()(X&& x) const {
    using E = std::remove_cvref_t<X>;
    if constexpr (StandIn<E>) {
      return (*this)(node(static_cast<X&&>(x)));
    } else if constexpr (is_dual<T> && requires { OperandType<T, E>::of(x); }) {
      return OperandType<T, E>::of(x);
    } else if constexpr (is_tensor<E>) {
      return Access::operand(static_cast<X&&>(x));
    } else if constexpr (Expression<E>) {
      return static_cast<X&&>(x);
    } else {
      return {checked_cast<compute_t<T>>(Op::text, x)};
    }
  }
};

template <class X>
inline constexpr bool is_scalar = requires {
  typename X::number;
};

/// How many operands of a node are not plain numbers.
template <class... Args>
inline constexpr int shaped_count = (0 + ... + (is_scalar<Args> ? 0 : 1));

/// The shape that the operands of a node broadcast to: one type for all nodes.
struct OwnShape {
  WEFT_OUTLINED OwnShape(const char* operation, const Shape& a, const Shape& b) : shape(a) {
    broadcast_with(operation, shape, b);
  }
  template <class... Xs>
  explicit OwnShape(const char* operation, const Xs&... xs) {
    (add(operation, xs), ...);
  }
  // Out of line, since each operation of an expression moves those of its operands.
  [[gnu::noinline]] OwnShape(const OwnShape&) noexcept = default;
  [[gnu::noinline]] OwnShape(OwnShape&&) noexcept = default;
  OwnShape& operator=(const OwnShape&) noexcept = default;
  OwnShape& operator=(OwnShape&&) noexcept = default;

  HeldShape shape;

 private:
  template <class X>
  void add(const char* operation, const X& x) {
    if constexpr (Expression<X>) broadcast_with(operation, shape, x.shape());
  }
};
/// If all other operands are numbers, the shape is the one operand's and is not stored: the node,
/// which every further operation moves, is smaller.
struct OperandsShape {
  OperandsShape() = default;
  template <class... Xs>
  explicit OperandsShape(const char*, const Xs&...) {}
};

template <class... Args>
using NodeShape = std::conditional_t<shaped_count<Args...> == 1, OperandsShape, OwnShape>;

/// The shape of the one operand that is not a number.
template <class Head, class... Tail>
const Shape& shape_of(const Pack<Head, Tail...>& args) {
  if constexpr (is_scalar<Head>) {
    return shape_of(args.tail);
  } else {
    return args.head.shape();
  }
}

}  // namespace detail
}  // namespace weft
