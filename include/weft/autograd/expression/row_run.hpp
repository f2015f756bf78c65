// Running the row program of gradients: its operands, targets, launches, and final sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/row_adjoint.hpp"
#include "weft/autograd/expression/row_plan.hpp"

namespace weft::autograd {

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
  RowRun(const weft::detail::Name& name, const typename A::Source& source, const Shape& shape,
         D device, const G& gradient)
      : name_(name),
        source_(source),
        gradient_(gradient),
        part_(A::lower(source, operands_, nodes_)),
        shape_(shape),
        device_(device) {}

  bool run(Variable* const* edges) {
    if (shape_.size() == 0 || !find_rows(nodes_, A::forward, A::along, shape_, rows_)) return false;
    if (rows_.full.size() == 0 ||
        !weft::detail::are_fused<Loops>(rows_.geometry, nodes_, A::forward, operands_)) {
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
    if (!place_targets(rows_, A::direct << A::outputs, A::wholes, A::sums)) return false;
    place_leaves();
    open_targets();
    if constexpr (A::along && A::loads_fit) {
      if (are_few(rows_.geometry)) {
        reduce_before();
        launch(true);
      } else {
        launch(false);
      }
    } else {
      launch(false);
    }
    for (int t = 0; t < rows_.count; ++t) finish(t);
    return true;
  }

 private:
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

  /// Whether the program writes a gradient where it belongs.
  bool is_direct(int t) const {
    const RowTarget& target = rows_.targets[t];
    return target.kind == RowTarget::whole && target.shape.rank() == rows_.full.rank();
  }
  /// Whether output k adds to its target.
  bool is_added(int k) const {
    for (int t = 0; t < rows_.count; ++t) {
      const RowTarget& target = rows_.targets[t];
      if (target.kind != RowTarget::row_sums && target.place == k) {
        return is_direct(t) && sinks_[t].adds;
      }
    }
    return false;
  }
  /// Output `place` is the gradient of the operands in `leaves`.
  template <class Program>
  static void choose(Program& program, int place, std::uint64_t leaves, bool adds) {
    const auto set = [&](auto& output) {
      output.chosen = leaves;
      output.adds = adds;
    };
    if (place == 0) set(weft::get<0>(program.outputs));
    if constexpr (A::wholes == 2) {
      if (place == 1) set(weft::get<1>(program.outputs));
    }
  }

  void open_targets() {
    using weft::detail::Access;
    for (int w = 0; w < A::sums; ++w) numbers_[w] = Access::allocate<C, D>(rows_.kept, device_);
    for (int t = 0; t < rows_.count; ++t) {
      const RowTarget& target = rows_.targets[t];
      sinks_[t] = static_cast<VariableOf<T, D>*>(target.variable)->open(target.shape, device_);
      if (target.kind == RowTarget::row_sums) continue;
      Tensor<T, D>& whole = whole_[target.place];
      whole = is_direct(t) ? sinks_[t].buffer : Access::allocate<T, D>(rows_.full, device_);
    }
    for (int k = rows_.outputs[0]; k < A::wholes; ++k) {
      spare_[k] = Access::allocate<T, D>(rows_.kept, device_);
    }
  }

  /// Computes the values of the forward pass that gradients read.
  void reduce_before() {
    using Lower = typename A::Lower;
    constexpr int outputs = __builtin_popcount(A::read_by_gradients);
    weft::detail::OperandArray<outputs + A::leaves + A::forward> operands;
    weft::detail::RowNode nodes[A::forward];
    const auto part = Lower::template lower<outputs, 0>(source_, operands, nodes);
    auto values = A::values_read();
    const RowProgram<std::remove_cvref_t<decltype(part.reductions)>, decltype(values)> program{
        part.reductions, values};
    weft::detail::RowTask task;
    task.geometry = rows_.geometry;
    for (int k = 0; k < outputs; ++k) {
      before_[k] = weft::detail::Access::allocate<C, D>(rows_.kept, device_);
      place_number(operands[k], before_[k]);
    }
    for (int i = 0; i < A::leaves; ++i) {
      weft::detail::place_in_row(operands[outputs + i], rows_.inside, rows_.geometry);
    }
    for (int r = 0; r < A::forward; ++r) {
      for (auto& stride : operands[outputs + A::leaves + r].stride) stride = 0;
      set_mode(task, r, (A::needed_by_read >> r & 1U) != 0 ? RowMode::compute : RowMode::skip);
    }
    RowExecutor<Loops>::template run<detail::Times<C, outputs>, typename Lower::types>(
        name_, device_, task, operands, program);
  }
  /// How the task gets reduction r, or an equal one in its place.
  void set_mode(weft::detail::RowTask& task, int r, RowMode mode) const {
    const int same = r < A::forward ? nodes_[r].same : r;
    const bool known = same != r && mode == RowMode::compute && task.mode[same] == RowMode::compute;
    task.mode[r] = known ? RowMode::same : mode;
    task.same[r] = static_cast<signed char>(same);
  }

  /// Runs the program; with `after` what gradients read of the forward pass is in memory.
  void launch(bool after) {
    weft::detail::RowTask task;
    task.geometry = rows_.geometry;
    Operand operands[n];
    for (int i = A::outputs; i < n; ++i) operands[i] = operands_[i];
    for (int k = 0; k < A::wholes; ++k) {
      const bool used = k < rows_.outputs[0];
      task.along_row[k] = used;
      if (used) {
        weft::detail::set_target(operands[k], whole_[k]);
        weft::detail::place_in_row(operands[k], rows_.inside, rows_.geometry);
      } else {
        place_number(operands[k], spare_[k]);
      }
      Operand& before = operands[A::before + k];
      before = operands[k];
      if (used && is_added(k)) continue;
      for (auto& stride : before.stride) stride = 0;
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
        choose(program, target.place, target.leaves, is_added(target.place));
      }
    }
    std::uint32_t computed = A::needed;
    std::uint32_t loaded = A::along ? 0U : std::uint32_t{1} << A::loaded;
    if (after) {
      computed &= ~A::forward_mask;
      loaded |= A::read_by_gradients;
      for (int r = 0, w = 0; r < A::forward; ++r) {
        if ((A::read_by_gradients >> r & 1U) != 0) {
          place_number(operands[A::value_of(r)], before_[w++]);
        }
      }
    }
    for (int w = 0; w < A::sums; ++w) {
      place_number(operands[A::wholes + w], numbers_[w]);
      A::choose_number(program, w, choice[w], chosen[w]);
    }
    for (int r = 0; r < A::reductions; ++r) {
      const RowMode mode = (loaded >> r & 1U) != 0     ? RowMode::load
                           : (computed >> r & 1U) != 0 ? RowMode::compute
                                                       : RowMode::skip;
      set_mode(task, r, mode);
      if (mode == RowMode::load) continue;
      for (auto& stride : operands[A::value_of(r)].stride) stride = 0;
    }
    RowExecutor<Loops>::template run<typename A::Outs, typename A::Types>(name_, device_, task,
                                                                          operands, program);
  }

  /// The sum of x over the axes in which `shape` has size 1 or none.
  template <class V>
  Tensor<C, D> summed(const Tensor<V, D>& x, const Shape& shape) const {
    const weft::detail::ReducedAxes axes = broadcast_axes(shape, x.shape());
    const auto total = [&](const auto& values) {
      using Values = std::remove_cvref_t<decltype(values)>;
      const Reduce<reducer::sum, Values> all(reducer::sum{}, values, axes);
      return weft::detail::materialize_on<C, D>(all, x.device()).reshape(shape);
    };
    if constexpr (std::is_same_v<V, C>) {
      return axes.mask == 0 ? x.reshape(shape) : total(x);
    } else {
      return total(cast<C>(x));
    }
  }
  void finish(int t) const {
    const RowTarget& target = rows_.targets[t];
    if (target.kind == RowTarget::row_sums) {
      store(sinks_[t], summed(numbers_[target.place], target.shape));
    } else if (target.kind == RowTarget::summed) {
      store(sinks_[t], summed(whole_[target.place], target.shape));
    } else if (whole_[target.place].data() != sinks_[t].buffer.data()) {
      store(sinks_[t], whole_[target.place].reshape(target.shape));
    }
  }

  const weft::detail::Name& name_;
  const typename A::Source& source_;
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
