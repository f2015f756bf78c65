// Lowering: an expression becomes a program and operands; inner reductions are evaluated first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/plan.hpp"
#include "weft/eval/program/program.hpp"
#include "weft/eval/program/settings.hpp"
#include "weft/ops/elementwise/contents.hpp"
#include "weft/ops/elementwise/for_half.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft::detail {

[[gnu::noinline]] inline void construct(Operand* operands, int n) {
  for (int i = 0; i < n; ++i) ::new (operands + i) Operand;
}
[[gnu::noinline]] inline void destroy(Operand* operands, int n) {
  for (int i = 0; i < n; ++i) operands[i].~Operand();
}

/// N operands. Where no operand can be a temporary there is nothing to destroy.
template <int N, bool HasTemporaries = true>
class OperandArray {
 public:
  OperandArray() { construct(all, N); }
  ~OperandArray() {
    if constexpr (HasTemporaries) destroy(all, N);
  }
  OperandArray(const OperandArray&) = delete;
  OperandArray& operator=(const OperandArray&) = delete;
  operator Operand*() { return all; }
  operator const Operand*() const { return all; }

 private:
  union {
    Operand all[N];
  };
};

template <class... Lists>
struct Join {
  using type = TypeList<>;
};
template <class... A>
struct Join<TypeList<A...>> {
  using type = TypeList<A...>;
};
template <class... A, class... B, class... Rest>
struct Join<TypeList<A...>, TypeList<B...>, Rest...> : Join<TypeList<A..., B...>, Rest...> {};

/// How an expression type is lowered: `types` lists its operands' element types, and
/// lower<B>(e, operands) fills operands[B...] and returns the program that reads them. For
/// expressions of tensors and numbers only, lower<B, const X*>(e, tensors) notes the addresses of
/// tensors of type X instead, from tensors[B - 1] on.
template <class E>
struct Lowering;

template <class T>
struct Lowering<Scalar<T>> {
  using types = TypeList<>;
  template <int, class...>
  static Constant<T> lower(const Scalar<T>& e, const void*) {
    return {e.value};
  }
};

template <>
struct Lowering<Positions> {
  using types = TypeList<IndexOperand>;
  template <int B, class...>
  static Arg<B, IndexOperand> lower(const Positions& e, Operand* operands) {
    operands[B].set(reinterpret_cast<const void*>(IndexOperand::origin + e.first()), 1, e.shape(),
                    e.strides(), nullptr);
    return {};
  }
};

/// With WEFT_CHECK=1, throws when an operand was written since its expression was built.
template <class T, class D>
WEFT_ONCE void require_current(const Tensor<T, D>& x) {
  if (!Access::is_current(x)) {
    fail<ValueError>("evaluate", "a tensor of shape ", x.shape(),
                     " was written after the expression that reads it was built");
  }
}
template <class T, class D>
void check_current(const Tensor<T, D>& x) {
  if (check_requested()) require_current(x);
}

template <class T, class D>
WEFT_OUTLINED void lower_leaf(const Tensor<T, D>& x, Operand& operand) {
  check_current(x);
  operand.become(x.data(), sizeof(T), x.shape(), x.strides(), x.storage());
}

template <class T, class D>
struct Lowering<Tensor<T, D>> {
  using types = TypeList<std::remove_const_t<T>>;
  template <int B, class To = Operand>
  static Arg<B, std::remove_const_t<T>> lower(const Tensor<T, D>& e,
                                              std::type_identity_t<To>* operands) {
    if constexpr (std::is_same_v<To, Operand>) {
      lower_leaf(e, operands[B]);
    } else {
      operands[B - 1] = &e;
    }
    return {};
  }
};

/// An operation as it enters a program: draws of random numbers note whether a graph is being
/// captured.
template <class Op>
Op settled(const Op& op) {
  Op out = op;
  if constexpr (requires { out.settle(); }) {
    out.settle();
  } else if constexpr (requires { out.draw.settled(); }) {
    out.draw = op.draw.settled();
  }
  return out;
}

template <class T, class Op, class... Args>
struct Lowering<Map<T, Op, Args...>> {
  using types = typename Join<TypeList<>, typename Lowering<Args>::types...>::type;

  template <int B, class To = Operand>
  static auto lower(const Map<T, Op, Args...>& e, std::type_identity_t<To>* operands) {
    const auto& args = e.args();
    // One and two operands are handled here: a function per operand and node would cost compile
    // time.
    if constexpr (sizeof...(Args) == 1) {
      using X = Lowering<decltype(args.head)>;
      using P = decltype(X::template lower<B, To>(args.head, operands));
      using Form = program_op<Op, T, typename Map<T, Op, Args...>::device_type>;
      return Apply<Form, P>{in_form<Form>(settled(e.op())),
                            {X::template lower<B, To>(args.head, operands), {}}};
    } else if constexpr (sizeof...(Args) == 2) {
      using X = Lowering<decltype(args.head)>;
      using Y = Lowering<decltype(args.tail.head)>;
      constexpr int next = B + count(typename X::types{});
      using P = decltype(X::template lower<B, To>(args.head, operands));
      using Q = decltype(Y::template lower<next, To>(args.tail.head, operands));
      using Form = program_op<Op, T, typename Map<T, Op, Args...>::device_type>;
      return Apply<Form, P, Q>{in_form<Form>(settled(e.op())),
                               {X::template lower<B, To>(args.head, operands),
                                {Y::template lower<next, To>(args.tail.head, operands), {}}}};
    } else {
      return lower_args<B, To>(e.op(), operands, args);
    }
  }

 private:
  template <int B, class To, class Head, class... Tail, class... Done>
  static auto lower_args(const Op& op, To* operands, const Pack<Head, Tail...>& args,
                         Done... done) {
    auto program = Lowering<Head>::template lower<B, To>(args.head, operands);
    constexpr int next = B + count(typename Lowering<Head>::types{});
    if constexpr (sizeof...(Tail) == 0) {
      return Apply<Op, Done..., decltype(program)>{settled(op), make_pack(done..., program)};
    } else {
      return lower_args<next, To>(op, operands, args.tail, done..., program);
    }
  }
};

/// A reduction inside a larger expression: evaluated now, kept in its accumulation type.
template <class R, class E>
struct Lowering<Reduce<R, E>> {
  using value = compute_t<typename Reduce<R, E>::value_type>;
  using types = TypeList<value>;
  template <int B, class...>
  static Arg<B, value> lower(const Reduce<R, E>& e, Operand* operands);
};

/// The value of an expression, on its operands' device if they have one, otherwise on `wanted`; in
/// eval/assign.hpp.
template <class T, class D, class E>
Tensor<T, D> materialize_on(const E& e, D wanted);

/// Whether the operands of an expression's program are exactly its tensors.
template <class E>
inline constexpr bool reads_leaves =
    is_made_of<E, Contents::tensors | Contents::numbers | Contents::positions | Effects::any>;

/// The type of the tensors of an expression of tensors and numbers: void if they are of several,
/// or there is more, Scalar<void> if there is none.
template <class E>
struct LeafOf {
  using type = void;
};
template <class T>
struct LeafOf<Scalar<T>> {
  using type = Scalar<void>;
};
template <class T, class D>
struct LeafOf<Tensor<T, D>> {
  using type = Tensor<T, D>;
};
template <class X, class... Xs>
struct OneLeaf {
  using type = X;
};
template <class X, class Y, class... Xs>
struct OneLeaf<X, Y, Xs...> : OneLeaf<void> {};
template <class X, class... Xs>
struct OneLeaf<X, X, Xs...> : OneLeaf<X, Xs...> {};
template <class X, class... Xs>
struct OneLeaf<X, Scalar<void>, Xs...> : OneLeaf<X, Xs...> {};
template <class X, class... Xs>
struct OneLeaf<Scalar<void>, X, Xs...> : OneLeaf<X, Xs...> {};
template <class... Xs>
struct OneLeaf<Scalar<void>, Scalar<void>, Xs...> : OneLeaf<Scalar<void>, Xs...> {};
template <class T, class Op, class... Args>
struct LeafOf<Map<T, Op, Args...>> : OneLeaf<typename LeafOf<Args>::type...> {};

/// The number of operands of an expression.
template <class E>
inline constexpr int operand_count = count(typename Lowering<E>::types{});

}  // namespace weft::detail
