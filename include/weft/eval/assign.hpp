// Evaluation: expressions into new tensors, into rebound ones, and into views in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/finished.hpp"
#include "weft/eval/gather.hpp"
#include "weft/eval/opaque.hpp"
#include "weft/eval/program/executor.hpp"
#include "weft/eval/program/lower.hpp"
#include "weft/eval/program/name.hpp"
#include "weft/eval/route/route.hpp"
#include "weft/eval/rows/split.hpp"
#include "weft/eval/scanned.hpp"
#include "weft/eval/statement.hpp"

namespace weft::detail {

/// Whether E can be written into elements of type T on D.
template <class T, class D, class E>
concept Writable =
    !std::is_same_v<common_device_t<typename E::device_type, D>, NoDevice> &&
    (std::is_same_v<typename E::value_type, T> || std::is_same_v<E, Scalar<compute_t<T>>>);

template <class E>
struct Lowered<E, Route::elementwise> {
  using types = typename Lowering<E>::types;
  static constexpr int n = operand_count<E> + 1;
  OperandArray<n, !reads_leaves<E>> operands;
  decltype(Lowering<E>::template lower<1>(std::declval<const E&>(), nullptr)) program;

  explicit Lowered(const E& e) : program(Lowering<E>::template lower<1>(e, operands)) {}

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    using Runner = Executor<loops_of<D>>;
    if constexpr (can_run<D>()) {
      broadcast_operands(operands, n, shape);
      Runner::template for_each<Out, types>(name_of<E>(), device, shape, operands, program);
    }
  }
};

template <class R, class E>
struct Lowered<Reduce<R, E>, Route::reduction> {
  using types = typename Lowering<E>::types;
  static constexpr int n = operand_count<E> + 1;
  const Reduce<R, E>& e;
  OperandArray<n> operands;
  decltype(Lowering<E>::template lower<1>(std::declval<const E&>(), nullptr)) program;

  explicit Lowered(const Reduce<R, E>& reduction)
      : e(reduction), program(Lowering<E>::template lower<1>(reduction.operand(), operands)) {}

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    using Runner = Reducer<loops_of<D>>;
    if constexpr (can_run<D>() && can_reduce<loops_of<D>>()) {
      if (!(shape == e.shape())) {
        fail<ShapeError>(R::text, "target of shape ", shape, " for ", e.shape());
      }
      Shape kept;
      Shape reduced;
      split_axes(e.operand().shape(), e.axes(), operands, n, kept, reduced);
      Runner::template reduce<Out, types>(name_of<Reduce<R, E>>(), e.reducer(), device, kept,
                                          reduced, operands, program);
    }
  }
};

/// Describes a matrix product to a dry run.
struct PlannedProduct {
  Shape left;
  Shape right;
  const char* type;
  int64_t itemsize;
  double operations;
};

/// Called during a dry run instead of evaluating a part of an expression in advance; `product` is
/// null unless the part is a matrix product.
struct Staging {
  StorageHandle (*take)(Staging*, const Name&, const Shape&, int64_t bytes,
                        const PlannedProduct* product);
};
[[gnu::visibility("default")]] inline constinit thread_local Staging* staging = nullptr;

/// Describes a product to a dry run, after the operands that are evaluated before it.
template <class D, class E>
PlannedProduct planned_product(const E& e) {
  const auto evaluate = [](const auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (!is_tensor<X>) materialize_on<typename X::value_type, D>(x, D{});
  };
  evaluate(e.left());
  evaluate(e.right());
  return {e.left().shape(), e.right().shape(), name(dtype_of<typename E::value_type>),
          sizeof(typename E::value_type), e.operations()};
}

template <class T, class D, class L>
void run_lowered(void* lowered, const Shape& shape, D device) {
  L& statement = *static_cast<L*>(lowered);
  if constexpr (WatchedDevice<loops_of<D>>) {
    const auto run = [&](auto on) { statement.template run<T>(shape, on); };
    StatementWatch<loops_of<D>>::run(statement, loops_of<D>(device), run);
  } else {
    statement.template run<T>(shape, device);
  }
}

/// The statement of a lowered `e`. `run` is run_lowered, which the caller names to keep compilers'
/// instantiation traces short.
template <class D, class E>
Statement<D> statement_of(const E& e, Lowered<E>& lowered, void (*run)(void*, const Shape&, D),
                          const char* operation, D wanted) {
  return {operation,
          &e.shape(),
          lowered.operands,
          Lowered<E>::n,
          may_write_in_place(route_of<E>()),
          wanted,
          &lowered,
          run,
          !is_tensor<E>};
}

/// In a dry run, notes that E is found before, and gives placeholder storage; otherwise null.
template <class E>
StorageHandle note_found(const Shape& shape, int64_t bytes) {
  if (staging == nullptr) return {};
  return staging->take(staging, {"find", type_text<E>()}, shape, bytes, nullptr);
}

/// Evaluation in a dry run: a tensor in placeholder storage.
template <class T, class D, class E>
WEFT_ONCE Tensor<T, D> plan_on(const E& e) {
  const int64_t bytes = e.size() * static_cast<int64_t>(sizeof(T));
  StorageHandle placeholder;
  if constexpr (requires { e.operations(); }) {
    const PlannedProduct product = planned_product<D>(e);
    placeholder = staging->take(staging, name_of<E>(), e.shape(), bytes, &product);
  } else {
    placeholder = staging->take(staging, name_of<E>(), e.shape(), bytes, nullptr);
  }
  T* const data = static_cast<T*>(placeholder->data);
  return Access::make<T, D>(static_cast<StorageHandle&&>(placeholder), data, e.shape(),
                            contiguous_strides(e.shape()));
}

/// Whether a statement z = e is one that D's executor prepares from the tensors in e, all of one
/// type.
template <class T, class D, class E>
inline constexpr bool runs_on_leaves = false;
template <class T, class D, class E>
  requires(!WatchedDevice<D> && !is_tensor<E> && is_tensor<typename LeafOf<E>::type> &&
           route_of<E>() == Route::elementwise &&
           requires { requires Executor<D>::template prepares<T, decltype(Lowered<E>::program)>; })
inline constexpr bool runs_on_leaves<T, D, E> = true;

/// Such a statement; what runs it is compiled once for all of them.
template <class T, class D, class E>
struct LeafRun {
  using Leaf = const typename LeafOf<E>::type*;
  static constexpr int n = operand_count<E>;
  using Program = decltype(Lowering<E>::template lower<1, Leaf>(std::declval<const E&>(), nullptr));
  Leaf leaves[n];
  typename Executor<D>::template Prepared<T, typename Lowering<E>::types, Program> run;

  WEFT_ALWAYS_INLINE LeafRun(const E& e, bool temporary)
      : run({name_of<E>().operation, &e.shape(), n + 1, temporary},
            Lowering<E>::template lower<1, Leaf>(e, leaves)) {}
};

template <class T, class D, class E>
Tensor<T, D> materialize_on(const E& e, D wanted) {
  if (staging != nullptr) return plan_on<T, D>(e);
  if constexpr (runs_on_leaves<T, D, E>) {
    LeafRun<T, D, E> statement(e, false);
    typename Executor<D>::Erased& run = statement.run;
    return run_leaves_into_new<T>(run, statement.leaves, wanted);
  } else {
    Lowered<E> lowered(e);
    return run_into_new<T, D>(
        statement_of<D>(e, lowered, run_lowered<T, D, Lowered<E>>, name_of<E>().operation, wanted));
  }
}

template <class T, class E, class D>
Tensor<T, D> on(const E& e, D device) {
  return materialize_on<T, D>(e, device);
}

/// A tensor in an expiring expression whose memory the result can take over; null if there is none.
template <class T, class D, class E>
const Tensor<T, D>* find_donor(const E& e, const Shape& shape) {
  const Tensor<T, D>* donor = nullptr;
  for_each_leaf(e, [&](const auto& x) {
    if constexpr (std::is_same_v<decltype(x), const Tensor<T, D>&>) {
      if (donor == nullptr && x.storage() != nullptr && x.shape() == shape &&
          __atomic_load_n(&x.storage()->owners, __ATOMIC_RELAXED) == 1) {
        donor = &x;
      }
    }
  });
  return donor;
}

template <class T, class D, class E>
Tensor<T, D> materialize(E&& e) {
  using Expr = std::remove_cvref_t<E>;
  if constexpr (std::is_rvalue_reference_v<E&&> && !std::is_const_v<E> && !is_tensor<Expr> &&
                (leaf_count<Expr>) > 0 && may_write_in_place(route_of<Expr>())) {
    const Tensor<T, D>* const donor = staging == nullptr ? find_donor<T, D>(e, e.shape()) : nullptr;
    if (donor != nullptr) {
      // A temporary operand's buffer becomes the result's, as in `z = e` where z is an operand.
      Tensor<T, D> z = *donor;
      rebind(z, static_cast<E&&>(e));
      return z;
    }
  }
  return materialize_on<T, D>(e, D{});
}

// Inlined: a statement's type seldom occurs twice, and an out-of-line function for each would make
// up a twentieth of the object file.
template <class T, class D, class E>
WEFT_INLINE void rebind(Tensor<T, D>& target, E&& e) {
  using Expr = std::remove_cvref_t<E>;
  constexpr bool temporary = std::is_rvalue_reference_v<E&&>;
  if constexpr (runs_on_leaves<T, D, Expr>) {
    LeafRun<T, D, Expr> statement(e, temporary);
    typename Executor<D>::Erased& run = statement.run;
    run_leaves_into(target, run, statement.leaves);
  } else {
    long inside = 0;
    if constexpr (temporary && !reads_leaves<Expr>) inside = count_handles(e, target.storage());
    Lowered<Expr> lowered(e);
    if constexpr (temporary && reads_leaves<Expr>) {
      inside = count_owned(lowered.operands, lowered.n, target.storage());
    }
    D wanted{};
    if constexpr (std::is_same_v<typename Expr::device_type, AnyDevice>) wanted = target.device();
    run_into(target,
             statement_of<D>(e, lowered, run_lowered<T, D, Lowered<Expr>>,
                             name_of<Expr>().operation, wanted),
             inside);
  }
}

template <class T, class D, class E>
void write(const Tensor<T, D>& target, const E& e, const char* operation) {
  if constexpr (NumberLike<E> && !Expression<E>) {
    static_assert(
        element_fits<T, E>,
        "weft: a floating-point number does not go into an integer tensor, nor a complex one "
        "into a real tensor: convert the number first");
    if constexpr (element_fits<T, E>) {
      write(target, Scalar<compute_t<T>>{load_element(checked_cast<T>(operation, e))}, operation);
    }
  } else if constexpr (!Writable<T, D, E>) {
    can_become<T, D, E>();
  } else {
    if (!check_writable(target, e.shape(), operation)) return;
    Lowered<E> lowered(e);
    run_in_place(target, statement_of<D>(e, lowered, run_lowered<T, D, Lowered<E>>, operation, D{}),
                 !takes_target(e, target));
  }
}

template <class R, class E>
template <int B, class...>
auto Lowering<Reduce<R, E>>::lower(const Reduce<R, E>& e, Operand* operands) -> Arg<B, value> {
  using D = std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>, Cpu,
                               typename E::device_type>;
  Tensor<value, D> result = materialize_on<value, D>(e, D{});
  operands[B].set(result.data(), sizeof(value), result.shape(), result.strides(), result.storage());
  operands[B].keep = Access::storage(result);
  return {};
}

}  // namespace weft::detail
