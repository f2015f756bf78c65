// Row programs: an expression with reductions inside, as a list of reductions and then outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/lower.hpp"
#include "weft/eval/route/route.hpp"

namespace weft {

/// The value of the row's I-th reduction, of type T.
template <int I, class T>
struct Reduced {
  using type = T;
  template <class Inputs>
  WEFT_HD type operator()(const Inputs& inputs) const {
    return inputs.template reduced<I>();
  }
};

/// One reduction of a row program: the program's values along the row, joined by the reducer.
template <class R, class Program, class Value>
struct RowReduction {
  using state = typename R::template State<typename Program::type>;
  using value = Value;
  R reducer;
  Program program;
};

/// Reductions in an order in which each needs earlier ones only, and the programs of the outputs.
template <class Reductions, class Outputs>
struct RowProgram {
  Reductions reductions;
  Outputs outputs;
};

namespace detail {

/// Bit I for each reduction I whose value a program reads.
template <class P>
inline constexpr std::uint32_t reductions_of = 0;
template <int I, class T>
inline constexpr std::uint32_t reductions_of<Reduced<I, T>> = std::uint32_t{1} << I;
template <class Op, class... Ps>
inline constexpr std::uint32_t reductions_of<Apply<Op, Ps...>> = (reductions_of<Ps> | ... | 0U);

/// Whether a program is a gradient sweep, which holds more values at once than its operands.
template <class P>
inline constexpr bool sweeps_back = false;

/// What planning knows of one reduction in an expression.
struct RowNode {
  static constexpr int none = 1 << 20;
  Shape shape;  // of its operand
  Shape result;
  ReducedAxes axes;
  int itemsize = 0;    // of its value
  int parent = none;   // the reduction that contains it, or -1 - k in output k alone
  int first = 0;       // the first reduction inside it; they end before it
  int first_leaf = 0;  // its operands, including those of reductions inside it
  int last_leaf = 0;
  int same = 0;  // an earlier one with the same value, or itself
  const void* expression = nullptr;
  bool (*equal)(const void*, const void*) = nullptr;
};

/// Allocates the value of the reduction that a task is for, in the program's operands and, laid out
/// along the kept axes, in the task's.
template <class D>
WEFT_OUTLINED void place_value(D device, const RowNode& node, const Shape& kept, Operand& value,
                               Operand& placed) {
  const auto itemsize = static_cast<std::size_t>(node.itemsize);
  value.keep = StorageHandle(Memory<D>::allocate(device, node.result.size() * node.itemsize));
  value.set(value.keep->data, itemsize, node.result, contiguous_strides(node.result),
            value.keep.get());
  placed = value;
  placed.set(value.data, itemsize, kept, contiguous_strides(kept), value.storage);
  for (int i = kept.rank(); i < max_rank; ++i) placed.stride[i] = 0;
}

/// Whether two expressions of one type have the same value: the same operands and numbers.
template <class T, class D>
bool same_value(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  return a.data() == b.data() && a.shape() == b.shape() && a.strides() == b.strides();
}
inline bool same_value(const Positions& a, const Positions& b) {
  return a.shape() == b.shape() && a.strides() == b.strides() && a.first() == b.first();
}
template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::is_empty_v<T> || __builtin_memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
bool same_value(const Scalar<T>& a, const Scalar<T>& b) {
  return same_bytes(a.value, b.value);
}
inline bool same_value(const Pack<>&, const Pack<>&) { return true; }
template <class Head, class... Tail>
bool same_value(const Pack<Head, Tail...>& a, const Pack<Head, Tail...>& b);
template <class E>
bool same_value([[maybe_unused]] const E& a, [[maybe_unused]] const E& b) {
  if constexpr (requires { requires E::is_value_of_operands; }) {
    return same_value(a.args(), b.args());
  } else if constexpr (requires { a.same_as(b); }) {
    return a.same_as(b) && same_value(a.args(), b.args());
  } else {
    return false;
  }
}
template <class R, class E>
bool same_value(const Reduce<R, E>& a, const Reduce<R, E>& b);
template <class T, class Op, class... Args>
bool same_value(const Map<T, Op, Args...>& a, const Map<T, Op, Args...>& b) {
  return same_bytes(a.op(), b.op()) && same_value(a.args(), b.args());
}
template <class R, class E>
bool same_value(const Reduce<R, E>& a, const Reduce<R, E>& b) {
  return same_bytes(a.reducer(), b.reducer()) && a.axes().mask == b.axes().mask &&
         same_value(a.operand(), b.operand());
}
template <class Head, class... Tail>
bool same_value(const Pack<Head, Tail...>& a, const Pack<Head, Tail...>& b) {
  return same_value(a.head, b.head) && same_value(a.tail, b.tail);
}
template <class E>
bool same_expression(const void* a, const void* b) {
  return same_value(*static_cast<const E*>(a), *static_cast<const E*>(b));
}

/// Marks the operands inside a reduction that drops axes before kept ones: a row may then read
/// elements of the target that belong to another row. A single value is complete before any row is
/// written.
WEFT_OUTLINED inline void mark_moved(const RowNode& node, Operand* operands) {
  const unsigned mask = node.axes.mask;
  const bool leading = (mask & (mask + 1)) == 0;
  const bool single = node.result.rank() == 0;
  if (node.axes.keep || (leading && !single)) return;
  for (int i = node.first_leaf; i < node.last_leaf; ++i) operands[i].moved = !single;
}

/// Makes a node the parent of those inside it, and finds an earlier one of the same value.
WEFT_OUTLINED inline void finish_node(RowNode* nodes, int index) {
  RowNode& node = nodes[index];
  for (RowNode* q = nodes + node.first; q != &node; ++q) {
    if (q->parent == RowNode::none) q->parent = index;
  }
  node.same = index;
  for (RowNode* q = nodes; q != &node; ++q) {
    if (q->equal == node.equal && q->equal(q->expression, node.expression)) {
      node.same = static_cast<int>(q - nodes);
      return;
    }
  }
}

/// A lowered part of an expression: its program, and the reductions in it.
template <class Program, class Reductions>
struct RowPart {
  Program program;
  Reductions reductions;
};

template <class... As, class... Bs>
Pack<As..., Bs...> joined(const Pack<As...>& a, const Pack<Bs...>& b) {
  if constexpr (sizeof...(As) == 0) {
    return b;
  } else {
    return {a.head, joined(a.tail, b)};
  }
}

/// Whether a part of an expression is evaluated or found before the row program that reads it, as
/// gathered rows are (eval/gather.hpp).
template <class E>
inline constexpr bool has_evaluated_before_rows = (contents_of<E> & Contents::gathered_rows) != 0;

/// How an expression is lowered into a row program: `types` lists its operands' element types,
/// `reductions` counts the reductions, and lower<B, R> fills operands[B...] and nodes[R...].
template <class E,
          bool HasParts = (contents_of<E> & (Contents::reductions | Contents::gathered_rows)) != 0>
struct RowLowering {
  using types = typename Lowering<E>::types;
  static constexpr int reductions = 0;
  template <int B, int>
  static auto lower(const E& e, Operand* operands, RowNode*) {
    auto program = Lowering<E>::template lower<B>(e, operands);
    return RowPart<decltype(program), Pack<>>{program, {}};
  }
};

template <class T, class Op, class... Args>
struct RowLowering<Map<T, Op, Args...>, true> {
  using types = typename Join<TypeList<>, typename RowLowering<Args>::types...>::type;
  static constexpr int reductions = (RowLowering<Args>::reductions + ...);

  template <int B, int R>
  static auto lower(const Map<T, Op, Args...>& e, Operand* operands, RowNode* nodes) {
    return args<B, R>(e.op(), operands, nodes, e.args(), Pack<>{});
  }

 private:
  template <int B, int R, class Head, class... Tail, class Found, class... Done>
  static auto args(const Op& op, Operand* operands, RowNode* nodes, const Pack<Head, Tail...>& rest,
                   const Found& found, Done... done) {
    using Next = RowLowering<Head>;
    auto part = Next::template lower<B, R>(rest.head, operands, nodes);
    const auto all = joined(found, part.reductions);
    if constexpr (sizeof...(Tail) == 0) {
      using Form = program_op<Op, T, typename Map<T, Op, Args...>::device_type>;
      using Program = Apply<Form, Done..., decltype(part.program)>;
      return RowPart<Program, std::remove_const_t<decltype(all)>>{
          Program{in_form<Form>(settled(op)), make_pack(done..., part.program)}, all};
    } else {
      return args<B + count(typename Next::types{}), R + Next::reductions>(
          op, operands, nodes, rest.tail, all, done..., part.program);
    }
  }
};

template <class R, class E>
struct RowLowering<Reduce<R, E>, true> {
  using types = typename RowLowering<E>::types;
  static constexpr int reductions = RowLowering<E>::reductions + 1;

  template <int B, int First>
  static auto lower(const Reduce<R, E>& e, Operand* operands, RowNode* nodes) {
    constexpr int index = First + reductions - 1;
    using Value = compute_t<typename Reduce<R, E>::value_type>;
    auto part = RowLowering<E>::template lower<B, First>(e.operand(), operands, nodes);
    RowNode& node = nodes[index];
    node.shape = e.operand().shape();
    node.result = e.shape();
    node.axes = e.axes();
    node.itemsize = sizeof(Value);
    node.first = First;
    node.first_leaf = B;
    node.last_leaf = B + count(types{});
    node.expression = &e;
    node.equal = same_expression<Reduce<R, E>>;
    finish_node(nodes, index);
    mark_moved(node, operands);
    using Found = RowReduction<R, decltype(part.program), Value>;
    return RowPart<Reduced<index, Value>, decltype(joined(part.reductions, Pack<Found>{}))>{
        {}, joined(part.reductions, make_pack(Found{e.reducer(), part.program}))};
  }
};

}  // namespace detail
}  // namespace weft
