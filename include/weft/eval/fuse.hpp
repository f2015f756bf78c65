// Evaluation of several expressions in one pass: into new tensors, or into given ones in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/assign.hpp"
#include "weft/eval/program/overlap.hpp"
#include "weft/eval/rows/split.hpp"
#include "weft/ops/fuse.hpp"

namespace weft::detail {

template <class P, class... Ps>
Pack<P, Ps...> prepend(const P& first, const Pack<Ps...>& rest) {
  return {first, rest};
}

/// Lowers all expressions; their operands are inputs[B] and up.
template <int B>
Pack<> lower_all(const Pack<>&, Operand*) {
  return {};
}
template <int B, class Head, class... Tail>
auto lower_all(const Pack<Head, Tail...>& expressions, Operand* inputs) {
  auto first = Lowering<Head>::template lower<B>(expressions.head, inputs);
  return prepend(first, lower_all<B + operand_count<Head>>(expressions.tail, inputs));
}

/// Expressions lowered to run together. The first operands are the targets, still to be set; the
/// expressions' operands follow in order.
template <class... Es>
struct LoweredFuse {
  using types = typename Join<TypeList<>, typename Lowering<Es>::types...>::type;
  static constexpr int targets = sizeof...(Es);
  static constexpr int n = count(types{}) + targets;
  OperandArray<n> operands;
  decltype(lower_all<1>(std::declval<const Pack<Es...>&>(), nullptr)) programs;

  explicit LoweredFuse(const Pack<Es...>& expressions)
      : programs(lower_all<1>(expressions, operands + targets - 1)) {}
};

/// The same with reductions inside: one row program, if all reduce along the same rows.
template <class... Es>
  requires(has_reduction<Es> || ...)
struct LoweredFuse<Es...> : Rows<Es...> {
  static constexpr int targets = sizeof...(Es);

  explicit LoweredFuse(const Pack<Es...>& expressions)
      : LoweredFuse(expressions, std::index_sequence_for<Es...>{}) {}

  template <class... Outs, class D>
  void run_all(const Name& name, const Shape& shape, D device) {
    if (Rows<Es...>::template run<TypeList<Outs...>>(name, device)) return;
    using Read = typename Join<TypeList<>, typename ElementLowering<Es>::types...>::type;
    constexpr int m = count(Read{}) + targets;
    OperandArray<m> elements;
    const auto programs =
        lower_elements<1, 0>(expressions_, elements + targets - 1, this->operands + Rows<Es...>::n);
    for (int k = 0; k < targets; ++k) elements[k] = this->operands[k];
    broadcast_operands(elements, m, shape);
    if constexpr (targets == 1) {
      Executor<D>::template for_each<Outs..., Read>(name, device, shape, elements, programs.head);
    } else {
      Executor<D>::template for_each<TypeList<Outs...>, Read>(name, device, shape, elements,
                                                              programs);
    }
  }

 private:
  template <std::size_t... K>
  LoweredFuse(const Pack<Es...>& expressions, std::index_sequence<K...>)
      : Rows<Es...>(weft::get<static_cast<int>(K)>(expressions)...), expressions_(expressions) {}

  template <int B, int R>
  static Pack<> lower_elements(const Pack<>&, Operand*, const Operand*) {
    return {};
  }
  template <int B, int R, class Head, class... Tail>
  static auto lower_elements(const Pack<Head, Tail...>& expressions, Operand* inputs,
                             const Operand* values) {
    using Elements = ElementLowering<Head>;
    auto first = Elements::template lower<B, R>(expressions.head, inputs, values);
    return prepend(
        first,
        lower_elements<B + count(typename Elements::types{}), R + RowLowering<Head>::reductions>(
            expressions.tail, inputs, values));
  }

  const Pack<Es...>& expressions_;
};

template <class... Outs, class... Es, class D>
void run_fused_on(LoweredFuse<Es...>& lowered, const Shape& shape, D device) {
  using Fuse = LoweredFuse<Es...>;
  using Runner = Executor<loops_of<D>>;
  if constexpr (!can_run<D>()) {
  } else if constexpr ((has_reduction<Es> || ...)) {
    if constexpr (can_run_rows<loops_of<D>>()) {
      lowered.template run_all<Outs...>(name_of<Fused<Es...>>(), shape, loops_of<D>(device));
    }
  } else {
    broadcast_operands(lowered.operands, Fuse::n, shape);
    constexpr Name name = name_of<Fused<Es...>>();
    if constexpr (sizeof...(Es) == 1) {
      Runner::template for_each<Outs..., typename Fuse::types>(
          name, device, shape, lowered.operands, lowered.programs.head);
    } else {
      Runner::template for_each<TypeList<Outs...>, typename Fuse::types>(
          name, device, shape, lowered.operands, lowered.programs);
    }
  }
}

/// Runs lowered expressions over `shape` into targets of element types Outs.
template <class... Outs, class... Es, class D>
void run_fused(LoweredFuse<Es...>& lowered, const Shape& shape, D device) {
  const ObservedStatement observed("fuse", &shape);
  if constexpr (WatchedDevice<loops_of<D>>) {
    const auto run = [&](auto on) { run_fused_on<Outs...>(lowered, shape, on); };
    StatementWatch<loops_of<D>>::run(lowered, loops_of<D>(device), run);
  } else {
    run_fused_on<Outs...>(lowered, shape, device);
  }
}

inline void check_shapes(const Shape&, const Pack<>&) {}
template <class Head, class... Tail>
void check_shapes(const Shape& shape, const Pack<Head, Tail...>& expressions) {
  if (!(expressions.head.shape() == shape)) {
    fail<ShapeError>("fuse", "expressions of shapes ", shape, " and ", expressions.head.shape(),
                     ", expected one shape");
  }
  check_shapes(shape, expressions.tail);
}

template <class D>
void allocate_all(const Shape&, D, Pack<>&, Operand*) {}
template <class D, class T, class... Ts>
void allocate_all(const Shape& shape, D device, Pack<Tensor<T, D>, Ts...>& out, Operand* targets) {
  out.head = Access::allocate<T, D>(shape, device);
  set_target(*targets, out.head);
  allocate_all(shape, device, out.tail, targets + 1);
}

/// The values of expressions, of element types Ts.
template <class D, class... Ts, class... Es>
Pack<Tensor<Ts, D>...> materialize_outputs(const Pack<Es...>& expressions) {
  const Shape shape = expressions.head.shape();
  check_shapes(shape, expressions.tail);
  if constexpr (part_before_outputs<Es...> != 0) {
    return materialize_outputs<D, Ts...>(SplitOutputs<Es...>::rest_of(expressions));
  } else {
    LoweredFuse<Es...> lowered(expressions);
    constexpr int targets = sizeof...(Es);
    const D device = place<D>("fuse", lowered.operands + targets, lowered.n - targets, D{});
    Pack<Tensor<Ts, D>...> out;
    allocate_all(shape, device, out, lowered.operands);
    if (shape.size() > 0) run_fused<Ts...>(lowered, shape, out.head.device());
    return out;
  }
}

template <class D, class... Es>
Pack<Tensor<typename Es::value_type, D>...> materialize_fused(const Pack<Es...>& expressions) {
  return materialize_outputs<D, typename Es::value_type...>(expressions);
}

/// Checks one target of tie().
WEFT_OUTLINED inline void check_target(int index, const Shape& shape, const Shape& target,
                                       const Strides& strides) {
  if (!(target == shape)) {
    fail<ShapeError>("tie", "target ", index, " has shape ", target, ", expected ", shape,
                     " as the expressions: tie writes in place, auto [a, b] = fuse(...) makes new "
                     "tensors");
  }
  if (Layout{target, strides}.has_overlap()) {
    fail<ShapeError>("tie", "target ", index, " of shape ", target, " and strides ", strides,
                     " has elements that share memory: write to a clone()");
  }
}

/// A bit for each target that must not be written while other operands are read or written.
WEFT_OUTLINED inline unsigned conflicting_targets(const Operand* operands, int n, int targets) {
  unsigned found = 0;
  for (int i = 0; i < targets; ++i) {
    for (int j = 0; j < i; ++j) {
      if (!overlap(operands[i], operands[j]) || disjoint(operands[i], operands[j])) continue;
      if (same_layout(operands[i], operands[j])) {
        fail<ValueError>("tie", "targets ", j, " and ", i, " have elements in common");
      }
      found |= 1U << i | 1U << j;
    }
    for (int j = targets; j < n; ++j) {
      if (conflicts(operands[i], operands[j])) found |= 1U << i;
    }
  }
  return found;
}

inline void set_targets(const Shape&, const Pack<>&, Operand*, int) {}
template <class T, class... Ts>
void set_targets(const Shape& shape, const Pack<T, Ts...>& targets, Operand* operands, int index) {
  check_target(index, shape, targets.head.shape(), targets.head.strides());
  set_target(*operands, targets.head);
  set_targets(shape, targets.tail, operands + 1, index + 1);
}

/// Replaces the targets that have a bit in `apart` by temporaries.
inline void set_apart(const Shape&, Pack<>&, const Pack<>&, Operand*, unsigned) {}
template <class T, class... Ts>
void set_apart(const Shape& shape, Pack<T, Ts...>& values, const Pack<T, Ts...>& targets,
               Operand* operands, unsigned apart) {
  if ((apart & 1U) != 0) {
    values.head = Access::allocate<typename T::value_type, typename T::device_type>(
        shape, targets.head.device());
    set_target(*operands, values.head);
  }
  set_apart(shape, values.tail, targets.tail, operands + 1, apart >> 1);
}

inline void finish_targets(const Pack<>&, const Pack<>&, unsigned) {}
template <class T, class... Ts>
void finish_targets(const Pack<T, Ts...>& targets, const Pack<T, Ts...>& values, unsigned apart) {
  if ((apart & 1U) != 0) {
    write(targets.head, values.head, "tie");
  } else {
    targets.head.storage()->bump_version();
  }
  finish_targets(targets.tail, values.tail, apart >> 1);
}

/// Writes the targets by `runs(device)`, a device or its stand-in. Returns false, with nothing
/// written, if it is a stand-in and a target must wait for a temporary.
template <class... Targets, class... Es, class Runs>
bool write_fused_on(const Pack<Targets...>& targets, const Pack<Es...>& expressions,
                    const Runs& runs) {
  using D = loops_of<common_device_of<Targets..., Es...>>;
  const Shape shape = expressions.head.shape();
  check_shapes(shape, expressions.tail);
  if constexpr (part_before_outputs<Es...> != 0) {
    return write_fused_on(targets, SplitOutputs<Es...>::rest_of(expressions), runs);
  } else {
    LoweredFuse<Es...> lowered(expressions);
    set_targets(shape, targets, lowered.operands, 0);
    const D device = place<D>("tie", lowered.operands, lowered.n, D{});
    if (shape.size() == 0) return true;
    const unsigned apart = conflicting_targets(lowered.operands, lowered.n, lowered.targets);
    if constexpr (!std::is_same_v<decltype(runs(device)), D>) {
      if (apart != 0) return false;
    }
    Pack<Targets...> values;
    if (apart != 0) set_apart(shape, values, targets, lowered.operands, apart);
    run_fused<typename Targets::value_type...>(lowered, shape, runs(device));
    finish_targets(targets, values, apart);
    return true;
  }
}

template <class... Targets, class... Es>
void write_fused(const Pack<Targets...>& targets, const Pack<Es...>& expressions) {
  write_fused_on(targets, expressions, [](auto device) { return device; });
}

}  // namespace weft::detail
