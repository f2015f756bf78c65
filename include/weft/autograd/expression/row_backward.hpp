// The backward pass of an expression with reductions along the same rows, as one row program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/row_adjoint.hpp"

namespace weft::autograd {

/// What becomes of the gradient of one Var, which all operands in `leaves` are.
struct RowTarget {
  enum Kind : signed char { whole, summed, row_sums };
  Variable* variable = nullptr;
  std::uint64_t leaves = 0;
  Shape shape;
  Kind kind = whole;
  int place = 0;  // among the outputs of its kind
};

/// What is known of an expression's rows and the gradients that are wanted of it.
struct RowGradients {
  static constexpr int most = 8;
  weft::detail::RowGeometry geometry;
  weft::detail::RowAxes inside;
  Shape full;  // of what is reduced
  Shape kept;  // the same with size 1 along the rows
  RowTarget targets[most];
  int count = 0;
  int outputs[2] = {};  // so many that run along the rows, and one number for each row
};

/// Whether all reductions run along the same rows, and so does a value of `shape` or, unless
/// `along`, has an element for each: then the geometry is known.
WEFT_OUTLINED inline bool find_rows(const weft::detail::RowNode* nodes, int n, bool along,
                                    const Shape& shape, RowGradients& out) {
  out.full = nodes[0].shape;
  const unsigned mask = nodes[0].axes.mask;
  for (int r = 0; r < n; ++r) {
    const weft::detail::RowNode& node = nodes[r];
    if (!(node.shape == out.full) || node.axes.mask != mask) return false;
    const bool leading = (mask & (mask + 1)) == 0;
    const bool in_value = node.parent == weft::detail::RowNode::none;
    if (!along && in_value) {
      if (!(node.result == shape)) return false;
    } else if (!node.axes.keep && !leading) {
      return false;
    }
  }
  if (along && !(shape == out.full)) return false;
  weft::detail::own_axes(nodes[0], out.geometry, out.inside);
  out.kept = weft::detail::ReducedAxes{mask, true}.result(out.full);
  return true;
}

/// Adds operand `leaf` to the targets; false where there are too many.
WEFT_OUTLINED inline bool add_target(RowGradients& rows, Variable* variable, int leaf,
                                     const Operand& x) {
  const std::uint64_t bit = std::uint64_t{1} << leaf;
  for (int t = 0; t < rows.count; ++t) {
    if (rows.targets[t].variable != variable) continue;
    rows.targets[t].leaves |= bit;
    return true;
  }
  if (rows.count == RowGradients::most) return false;
  RowTarget& target = rows.targets[rows.count++];
  target.variable = variable;
  target.leaves = bit;
  target.shape = {};
  for (int d = 0; d < x.rank; ++d) target.shape.push_back(x.size[d]);
  return true;
}

/// Decides what happens to each gradient: an output along the rows; sums of them, where the operand
/// is one number for a row and only the value reads it (`direct`); or an output that is summed
/// afterwards. False where there are more than `wholes` and `sums`.
WEFT_OUTLINED inline bool place_targets(RowGradients& rows, std::uint64_t direct, int wholes,
                                        int sums, bool sums_later) {
  for (int t = 0; t < rows.count; ++t) {
    RowTarget& target = rows.targets[t];
    const int shift = rows.full.rank() - target.shape.rank();
    bool one_a_row = (target.leaves & ~direct) == 0;
    for (int i = 0; i < rows.full.rank(); ++i) {
      if (rows.inside.label[i] >= 0) continue;
      one_a_row = one_a_row && (i < shift || target.shape[i - shift] == 1);
    }
    if (shift < 0) return false;
    if (target.shape.size() == rows.full.size()) {
      target.kind = RowTarget::whole;
    } else if (one_a_row && rows.outputs[1] < sums) {
      target.kind = RowTarget::row_sums;
    } else {
      if (!sums_later) return false;
      target.kind = RowTarget::summed;
    }
    target.place = rows.outputs[target.kind == RowTarget::row_sums]++;
  }
  return rows.outputs[0] <= wholes;
}

/// Whether rows are so few that what they need of the forward pass is computed by a launch of its
/// own, which may cut them into pieces.
inline bool are_few(const weft::detail::RowGeometry& geometry) {
  return geometry.kept.size() <= 1024 && geometry.reduced.size() >= 1 << 14;
}

template <class A, class D, class G>
class RowRun;

/// See Rule; `run` returns false, and has done nothing, where the expression's parts do not all run
/// along the same rows, or more Vars want gradients than the program has outputs.
template <class E>
struct RowBackward {
  using Statement = RowStatement<E>;
  using Plain = without_vars_t<E>;
  using D = typename E::device_type;
  using Loops = weft::detail::loops_of<D>;

  /// Whether E has reductions inside, all of whose derivatives a row program computes.
  static constexpr bool possible() {
    if constexpr (!Statement::possible) {
      return false;
    } else {
      // A loop on the CPU has values of 16 bytes.
      return RowAdjoint<E>::possible && (is_cuda<Loops> || RowAdjoint<E>::value_bytes <= 16);
    }
  }

  template <class G>
  static bool run(const Plain& e, Variable* const* edges, const Tensor<G, D>& gradient) {
    if constexpr (possible() && weft::detail::is_included<D>() &&
                  weft::detail::can_run_rows<Loops>()) {
      using A = RowAdjoint<E>;
      const weft::detail::Name name{"backward", weft::detail::name_of<Plain>().type};
      return RowRun<A, D, Tensor<G, D>>(name, e, e.shape(), gradient.device(), gradient).run(edges);
    } else {
      return false;
    }
  }
};

/// One run of a program that A describes, as RowAdjoint does; G is the gradient that it reads, or
/// something else where A has none.
template <class A, class D, class G>
class RowRun {
  using T = typename A::Element;
  using C = typename A::C;
  using Loops = weft::detail::loops_of<D>;
  using RowMode = weft::detail::RowMode;
  static constexpr int n = A::first + A::reductions;

 public:
  template <class Source>
  RowRun(const weft::detail::Name& name, const Source& source, const Shape& shape, D device,
         const G& gradient)
      : name_(name),
        gradient_(gradient),
        part_(A::lower(source, operands_, nodes_)),
        shape_(shape),
        device_(device) {}

  bool run(Variable* const* edges) {
    if (shape_.size() == 0 || !find_rows(nodes_, A::forward, A::along, shape_, rows_)) return false;
    if (rows_.full.size() == 0 ||
        !RowExecutor<Loops>::fuses(rows_.geometry.kept.size(), rows_.geometry.reduced.size())) {
      return false;
    }
    if (!A::extras_agree(part_, operands_, nodes_)) return false;
    int edge = 0;
    for (int i = 0; i < A::leaves; ++i) {
      if ((A::vars >> i & 1U) == 0) continue;
      Variable* const variable = edges[edge++];
      if (variable == nullptr || !variable->active) continue;
      if (!add_target(rows_, variable, A::outputs + i, operands_[A::outputs + i])) return false;
    }
    if (!place_targets(rows_, A::direct << A::outputs, A::wholes, A::sums, std::is_same_v<T, C>)) {
      return false;
    }
    place_leaves();
    open_targets();
    if (A::along && A::loads_fit && are_few(rows_.geometry)) {
      launch(Stage::before);
      launch(Stage::after);
    } else {
      launch(Stage::all);
    }
    for (int t = 0; t < rows_.count; ++t) finish(t);
    return true;
  }

 private:
  /// All at once, or the reductions of the forward pass before the others.
  enum class Stage { all, before, after };

  void place_leaves() {
    for (int i = 0; i < A::leaves; ++i) {
      weft::detail::place_in_row(operands_[A::outputs + i], rows_.inside, rows_.geometry);
    }
    if constexpr (A::reads_upstream) {
      Operand& upstream = operands_[A::upstream];
      weft::detail::set_target(upstream, gradient_);
      if (A::along) {
        weft::detail::place_in_row(upstream, rows_.inside, rows_.geometry);
      } else {
        for (auto& stride : upstream.stride) stride = 0;
        loaded_ = cast<C>(gradient_);
        place_number(operands_[A::value_of(A::loaded)], loaded_);
      }
    }
  }
  /// One number for each row, in contiguous memory.
  template <class V>
  void place_number(Operand& x, const Tensor<V, D>& numbers) const {
    const Shape& kept = rows_.geometry.kept;
    x.set(numbers.data(), sizeof(V), kept, contiguous_strides(kept), numbers.storage());
    for (int d = kept.rank(); d < max_rank; ++d) x.stride[d] = 0;
  }

  void open_targets() {
    using weft::detail::Access;
    for (Tensor<C, D>& numbers : numbers_) {
      numbers = Access::allocate<C, D>(rows_.kept, device_);
    }
    for (int t = 0; t < rows_.count; ++t) {
      const RowTarget& target = rows_.targets[t];
      sinks_[t] = static_cast<VariableOf<T, D>*>(target.variable)->open(target.shape, device_);
      if (target.kind == RowTarget::row_sums) continue;
      Tensor<T, D>& whole = whole_[target.place];
      const bool direct = target.kind == RowTarget::whole && !sinks_[t].adds &&
                          target.shape.rank() == rows_.full.rank();
      whole = direct ? sinks_[t].buffer : Access::allocate<T, D>(rows_.full, device_);
    }
    for (int k = 0; k < A::wholes; ++k) {
      if (k >= rows_.outputs[0] || A::sums > 0) {
        spare_[k] = Access::allocate<T, D>(rows_.kept, device_);
      }
    }
  }

  void launch(Stage stage) {
    weft::detail::RowTask task;
    task.geometry = rows_.geometry;
    Operand operands[n];
    for (int i = A::outputs; i < n; ++i) operands[i] = operands_[i];
    for (int k = 0; k < A::wholes; ++k) {
      const bool used = stage != Stage::before && k < rows_.outputs[0];
      task.along_row[k] = used;
      if (used) {
        weft::detail::set_target(operands[k], whole_[k]);
        weft::detail::place_in_row(operands[k], rows_.inside, rows_.geometry);
      } else {
        place_number(operands[k], spare_[k]);
      }
    }
    auto program = A::program(part_, rows_.geometry.reduced.size());
    std::uint64_t chosen[A::sums + 1] = {};
    int choice[A::sums + 1] = {};
    for (int w = 0; w < A::sums; ++w) choice[w] = -1;
    for (int t = 0; t < rows_.count; ++t) {
      const RowTarget& target = rows_.targets[t];
      if (target.kind == RowTarget::row_sums) {
        chosen[target.place] = target.leaves;
        choice[target.place] = A::forward + target.place;
      } else {
        A::choose(program, target.place, target.leaves);
      }
    }
    std::uint32_t computed = A::needed;
    std::uint32_t loaded = A::along ? 0U : std::uint32_t{1} << A::loaded;
    if (stage != Stage::all) {
      constexpr std::uint32_t read = A::read_by_gradients;
      computed = stage == Stage::before ? A::needed_by_read : A::needed & ~A::forward_mask;
      if (stage == Stage::after) loaded |= read;
      int w = 0;
      for (int r = 0; r < A::forward; ++r) {
        if ((read >> r & 1U) == 0) continue;
        if (stage == Stage::before) {
          before_[w] = weft::detail::Access::allocate<C, D>(rows_.kept, device_);
          choice[w] = r;
        } else {
          place_number(operands[A::value_of(r)], before_[w]);
        }
        ++w;
      }
      if (stage == Stage::before) {
        for (; w < A::sums; ++w) choice[w] = -1;
      }
    }
    for (int w = 0; w < A::sums; ++w) {
      const bool early = stage == Stage::before && choice[w] >= 0;
      place_number(operands[A::wholes + w], early ? before_[w] : numbers_[w]);
      A::choose_number(program, w, choice[w], chosen[w]);
    }
    for (int r = 0; r < A::reductions; ++r) {
      task.mode[r] = (loaded >> r & 1U) != 0     ? RowMode::load
                     : (computed >> r & 1U) != 0 ? RowMode::compute
                                                 : RowMode::skip;
      if (task.mode[r] != RowMode::load) {
        for (auto& stride : operands[A::value_of(r)].stride) stride = 0;
      }
      const int same = r < A::forward ? nodes_[r].same : r;
      task.same[r] = static_cast<signed char>(same);
      if (same != r && task.mode[r] == RowMode::compute && task.mode[same] == RowMode::compute) {
        task.mode[r] = RowMode::same;
      }
    }
    RowExecutor<Loops>::template run<typename A::Outs, typename A::Types>(name_, device_, task,
                                                                          operands, program);
  }

  Tensor<C, D> summed(const Tensor<C, D>& x, const Shape& shape) const {
    const weft::detail::ReducedAxes axes = broadcast_axes(shape, x.shape());
    if (axes.mask == 0) return x.reshape(shape);
    const Reduce<reducer::sum, Tensor<C, D>> total(reducer::sum{}, x, axes);
    return weft::detail::materialize_on<C, D>(total, x.device()).reshape(shape);
  }
  void finish(int t) const {
    const RowTarget& target = rows_.targets[t];
    if (target.kind == RowTarget::row_sums) {
      store(sinks_[t], summed(numbers_[target.place], target.shape));
    } else if (target.kind == RowTarget::summed) {
      if constexpr (std::is_same_v<T, C>) {
        store(sinks_[t], summed(whole_[target.place], target.shape));
      }
    } else if (whole_[target.place].data() != sinks_[t].buffer.data()) {
      store(sinks_[t], whole_[target.place].reshape(target.shape));
    }
  }

  const weft::detail::Name& name_;
  const G& gradient_;
  weft::detail::OperandArray<n> operands_;
  weft::detail::RowNode nodes_[A::forward];
  typename A::Part part_;
  Shape shape_;
  D device_;
  RowGradients rows_;
  Sink<T, D> sinks_[RowGradients::most];
  Tensor<T, D> whole_[A::wholes];
  Tensor<T, D> spare_[A::wholes];
  Tensor<C, D> numbers_[A::sums > 0 ? A::sums : 1];
  Tensor<C, D> before_[A::sums > 0 ? A::sums : 1];
  Tensor<C, D> loaded_;
};

}  // namespace weft::autograd
