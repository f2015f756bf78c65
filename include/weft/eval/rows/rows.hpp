// Rows: expressions with reductions inside, lowered to run along the reduced axes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/executor.hpp"
#include "weft/eval/route/route.hpp"
#include "weft/eval/rows/online.hpp"
#include "weft/eval/rows/plan.hpp"

namespace weft {

/// The row programs of device D (cpu/rows/rows.hpp, cuda/rows/rows.hpp); RowDevice says what they
/// provide.
template <class D>
struct RowExecutor;

/// A device that runs row programs: fuses(rows, length) says whether rows of that length are worth
/// one (fuses_columns, if there, whether columns are; divides_rows: see RowTree), run(...) runs a
/// task, whose operands have strides along the kept dimensions, then along the row.
template <class D>
concept RowDevice = requires(const detail::Name& name, D device, const detail::RowTask& task,
                             detail::Operand* operands,
                             const RowProgram<Pack<>, Pack<Arg<1, float>>>& program) {
  { RowExecutor<D>::fuses(int64_t{1}, int64_t{1}) } -> std::same_as<bool>;
  { RowExecutor<D>::divides_rows } -> std::convertible_to<bool>;
  RowExecutor<D>::template run<detail::TypeList<float>, detail::TypeList<float>>(name, device, task,
                                                                                 operands, program);
};

namespace detail {

/// Whether the device says which columns are worth a row program.
template <class D>
concept PlansColumns = requires {
  RowExecutor<D>::fuses_columns(int64_t{1}, int64_t{1});
};

/// Whether n reductions along the same rows are worth one kernel on the device.
template <class D>
bool are_fused(const RowGeometry& geometry, [[maybe_unused]] const RowNode* nodes,
               [[maybe_unused]] int n, [[maybe_unused]] const Operand* operands) {
  const int64_t rows = geometry.kept.size();
  const int64_t length = geometry.reduced.size();
  if constexpr (PlansColumns<D>) {
    for (int r = 0; r < n; ++r) {
      if (in_columns(nodes[r], operands)) return RowExecutor<D>::fuses_columns(rows, length);
    }
  }
  return RowExecutor<D>::fuses(rows, length);
}

/// Lowers the expressions of outputs k and up; operands start at B, reductions at R.
template <int B, int R, class Reductions, class Programs, class E, class... Rest>
auto lower_outputs(int k, Operand* operands, RowNode* nodes, int* last_leaf,
                   const Reductions& reductions, const Programs& programs, const E& e,
                   const Rest&... rest) {
  using Lower = RowLowering<E>;
  constexpr int last = B + count(typename Lower::types{});
  auto part = Lower::template lower<B, R>(e, operands, nodes);
  auto found = joined(reductions, part.reductions);
  auto all = joined(programs, make_pack(part.program));
  last_leaf[k] = last;
  for (int r = R; r < R + Lower::reductions; ++r) {
    if (nodes[r].parent == RowNode::none) nodes[r].parent = -1 - k;
  }
  if constexpr (sizeof...(Rest) == 0) {
    return RowProgram<decltype(found), decltype(all)>{found, all};
  } else {
    return lower_outputs<last, R + Lower::reductions>(k + 1, operands, nodes, last_leaf, found, all,
                                                      rest...);
  }
}

/// Whether an expression has no other operands than reductions.
template <class E>
inline constexpr bool is_of_reductions = false;
template <class T>
inline constexpr bool is_of_reductions<Scalar<T>> = true;
template <class R, class E>
inline constexpr bool is_of_reductions<Reduce<R, E>> = true;
template <class T, class Op, class... Args>
inline constexpr bool is_of_reductions<Map<T, Op, Args...>> = (is_of_reductions<Args> && ...);

/// Whether device D computes an operation on reductions once for each value, instead of at each
/// element that reads it.
template <class D, class E>
inline constexpr bool is_stored_before = false;
template <class D, class T, class Op, class... Args>
  requires(is_of_reductions<Map<T, Op, Args...>>&& has_reduction<Map<T, Op, Args...>>&& requires {
    RowExecutor<D>::template stores_before<Op>;
  })
inline constexpr bool is_stored_before<D, Map<T, Op, Args...>> =
    RowExecutor<D>::template stores_before<Op> || (is_stored_before<D, Args> || ...);

/// How an expression is lowered for element-wise work once the reductions directly in it are known:
/// they become operands, `values[r]` for the one that is number r in the row program. With a device
/// D, which is then the last argument, so do the operations that it stores before.
template <class E, class D = void, bool Reduces = has_reduction<E>>
struct ElementLowering {
  using types = typename Lowering<E>::types;
  template <int B, int, class... Devices>
  static auto lower(const E& e, Operand* operands, const Operand*, const Devices&...) {
    return Lowering<E>::template lower<B>(e, operands);
  }
};
template <class R, class E, class D>
struct ElementLowering<Reduce<R, E>, D, true> {
  using value = compute_t<typename Reduce<R, E>::value_type>;
  using types = TypeList<value>;
  template <int B, int First, class... Devices>
  static Arg<B, value> lower(const Reduce<R, E>&, Operand* operands, const Operand* values,
                             const Devices&...) {
    operands[B] = values[First + RowLowering<Reduce<R, E>>::reductions - 1];
    return {};
  }
};
template <class T, class Op, class... Args, class D>
  requires is_stored_before<D, Map<T, Op, Args...>>
struct ElementLowering<Map<T, Op, Args...>, D, true> {
  using value = compute_t<typename Map<T, Op, Args...>::value_type>;
  using types = TypeList<value>;
  template <int B, int First>
  static Arg<B, value> lower(const Map<T, Op, Args...>& e, Operand* operands, const Operand* values,
                             const D& device) {
    using Plain = ElementLowering<Map<T, Op, Args...>>;
    constexpr int m = count(typename Plain::types{}) + 1;
    OperandArray<m> read;
    const auto program = Plain::template lower<1, First>(e, read, values);
    const Shape& shape = e.shape();
    Operand& mine = operands[B];
    mine.keep = StorageHandle(Memory<D>::allocate(device, shape.size() * int64_t{sizeof(value)}));
    mine.set(mine.keep->data, sizeof(value), shape, contiguous_strides(shape), mine.keep.get());
    read[0] = mine;
    broadcast_operands(read, m, shape);
    Executor<D>::template for_each<value, typename Plain::types>(name_of<Map<T, Op, Args...>>(),
                                                                 device, shape, read, program);
    return {};
  }
};
template <class T, class Op, class... Args, class D>
struct ElementLowering<Map<T, Op, Args...>, D, true> {
  using types = typename Join<TypeList<>, typename ElementLowering<Args, D>::types...>::type;
  template <int B, int R, class... Devices>
  static auto lower(const Map<T, Op, Args...>& e, Operand* operands, const Operand* values,
                    const Devices&... device) {
    return args<B, R>(e.op(), operands, values, e.args(), Pack<>{}, device...);
  }

 private:
  template <int B, int R, class Head, class... Tail, class... Done, class... Devices>
  static auto args(const Op& op, Operand* operands, const Operand* values,
                   const Pack<Head, Tail...>& rest, const Pack<Done...>& done,
                   const Devices&... device) {
    using Next = ElementLowering<Head, D>;
    const auto all =
        joined(done, make_pack(Next::template lower<B, R>(rest.head, operands, values, device...)));
    if constexpr (sizeof...(Tail) == 0) {
      return applied_to(op, all);
    } else {
      return args<B + count(typename Next::types{}), R + RowLowering<Head>::reductions>(
          op, operands, values, rest.tail, all, device...);
    }
  }
  template <class... Ps>
  static auto applied_to(const Op& op, const Pack<Ps...>& programs) {
    using Form = program_op<Op, T, typename Map<T, Op, Args...>::device_type>;
    return Apply<Form, Ps...>{in_form<Form>(settled(op)), programs};
  }
};

/// Expressions, at least one with a reduction inside, lowered for one kernel with an output each:
/// operands[k] is the target of output k, still to be set.
template <class... Es>
struct Rows {
  using types = typename Join<TypeList<>, typename RowLowering<Es>::types...>::type;
  static constexpr int outputs = sizeof...(Es);
  static constexpr int leaves = count(types{});
  static constexpr int reductions = (RowLowering<Es>::reductions + ...);
  static constexpr int n = outputs + leaves;
  static_assert(outputs <= max_outputs && reductions <= max_row_reductions && n <= max_operands,
                "weft: the expression is too large for one kernel: store a part of it in a Tensor");

  OperandArray<n + reductions> operands;
  RowNode nodes[reductions];
  Shape shapes[outputs];
  int last_leaf[outputs];
  decltype(lower_outputs<sizeof...(Es), 0>(0, nullptr, nullptr, nullptr, Pack<>{}, Pack<>{},
                                           std::declval<const Es&>()...)) program;

  explicit Rows(const Es&... es)
      : shapes{es.shape()...},
        program(
            lower_outputs<outputs, 0>(0, operands, nodes, last_leaf, Pack<>{}, Pack<>{}, es...)) {}

  /// Computes all outputs, of element types Outs. If they do not form a row program, computes only
  /// the reductions directly in them, leaves their values in operands[n...], and returns false.
  template <class Outs, class D>
  bool run(const Name& name, D device) {
    RowTree tree;
    tree.shapes = shapes;
    tree.outputs = outputs;
    tree.last_leaf = last_leaf;
    tree.nodes = nodes;
    tree.reductions = reductions;
    tree.operands = operands;
    tree.leaves = leaves;
    tree.fuses = RowExecutor<D>::fuses;
    if constexpr (PlansColumns<D>) tree.fuses_columns = RowExecutor<D>::fuses_columns;
    tree.divides_rows = RowExecutor<D>::divides_rows;
    if constexpr (RowExecutor<D>::divides_rows) tree.merges = RowMerges<decltype(program)>::bits;
    if constexpr ((has_evaluated_before_rows<Es> || ...)) settle();
    Context<D> context{*this, name, device};
    return RowPlanner(tree, launch<Outs, D>, &context).run();
  }

 private:
  /// Gathered rows that are the program's rows are read where they are; others are evaluated.
  void settle() {
    for (int i = outputs; i < n; ++i) {
      Operand& x = operands[i];
      for (int j = outputs; j < i && x.settle != nullptr; ++j) {
        const Operand& y = operands[j];
        if (x.same == y.same && x.same(x.opaque, y.opaque)) x = y;
      }
      if (x.settle == nullptr) continue;
      x.settle(x, are_rows(x, shapes, operands, outputs, nodes, reductions));
      x.settle = nullptr;
    }
  }
  template <class D>
  struct Context {
    Rows& rows;
    const Name& name;
    D device;
  };

  template <class Outs, class D>
  static void launch(void* opaque, const RowTask& task, Operand* placed) {
    auto& context = *static_cast<Context<D>*>(opaque);
    if (task.target >= 0) {
      place_value(context.device, context.rows.nodes[task.target], task.geometry.kept,
                  context.rows.operands[n + task.target], placed[n + task.target]);
    }
    if (task.geometry.kept.size() == 0) return;
    RowExecutor<D>::template run<Outs, types>(context.name, context.device, task, placed,
                                              context.rows.program);
  }
};

/// Whether the header with D's row programs is included; if not, one compile error that names it.
template <class D>
constexpr bool can_run_rows() {
  constexpr bool here = Complete<RowExecutor<D>>;
  static_assert(here, "weft: to reduce on Cuda include <weft/cuda/reduce.hpp>");
  return here;
}

template <class E>
struct Lowered<E, Route::rows> : Rows<E> {
  using Rows<E>::n;

  explicit Lowered(const E& e) : Rows<E>(e), expression_(&e) {}

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    using Device = loops_of<D>;
    if constexpr (is_included<D>() && can_run_rows<Device>()) {
      if (!(shape == this->shapes[0])) {
        fail<ShapeError>(name_of<E>().operation, "target of shape ", shape, " for ",
                         this->shapes[0]);
      }
      const Name name = name_of<E>();
      if (Rows<E>::template run<TypeList<Out>, Device>(name, device)) return;
      using Elements = ElementLowering<E, Device>;
      using Types = typename Elements::types;
      constexpr int m = count(Types{}) + 1;
      OperandArray<m> elements;
      const auto each =
          Elements::template lower<1, 0>(*expression_, elements, this->operands + n, device);
      elements[0] = this->operands[0];
      broadcast_operands(elements, m, shape);
      Executor<Device>::template for_each<Out, Types>(name, device, shape, elements, each);
    }
  }

 private:
  const E* expression_;
};

}  // namespace detail
}  // namespace weft
