// Planning a row program: which reductions share a kernel, and how its operands lie along the rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the planner is one class.

#include <vector>

#include "weft/eval/rows/axes.hpp"

namespace weft::detail {

/// Reductions in one expression; more need a Tensor in between.
inline constexpr int max_row_reductions = 32;
/// Outputs of one kernel.
inline constexpr int max_outputs = 8;
/// Outputs and leaves of one.
inline constexpr int max_operands = 64;

/// How a kernel gets the value of a reduction: not at all, by computing it, from an equal earlier
/// one, or from memory.
enum class RowMode : signed char { skip, compute, same, load };

/// One kernel: reductions along rows, then either the outputs or the value of one reduction.
struct RowTask {
  int target = -1;  // the reduction whose value is stored; -1: the outputs
  RowGeometry geometry;
  RowMode mode[max_row_reductions] = {};
  signed char same[max_row_reductions] = {};  // the equal reduction, for RowMode::same
  bool along_row[max_outputs] = {};  // whether an output has an element for each of the row
  bool in_pieces = false;            // the target is of all rows: merged from what it is of each

  bool computes() const {
    for (RowMode m : mode) {
      if (m == RowMode::compute) return true;
    }
    return false;
  }
};

/// Whether a reduction reads an operand with adjacent rows, at least 16, and a row's elements far
/// apart; not beside one that lies in rows, if those are so short that both are fast.
WEFT_OUTLINED inline bool in_columns(const RowNode& node, const Operand* operands) {
  int across = -1;  // the last axes of more than one element, kept
  int along = -1;   // and reduced
  for (int i = 0; i < node.shape.rank(); ++i) {
    if (node.shape[i] > 1) (node.axes.reduces(i) ? along : across) = i;
  }
  if (across < 0 || along < 0 || node.shape[across] < 16) return false;
  bool found = false;
  bool beside_rows = false;
  for (int k = node.first_leaf; k < node.last_leaf; ++k) {
    const Operand& x = operands[k];
    const int shift = node.shape.rank() - x.rank;
    if (shift > across || shift > along) continue;
    const bool varies = x.size[across - shift] > 1 && x.size[along - shift] > 1;
    if (!varies) continue;
    found = found || (x.stride[across - shift] == 1 && x.stride[along - shift] > 1);
    beside_rows = beside_rows || x.stride[along - shift] == 1;
  }
  return found && !(beside_rows && node.shape[along] <= 512);
}

/// Whether an operand whose rows indices pick has the program's rows, in the order of its outputs:
/// each reduction is of its shape and along its rows, the last axes.
WEFT_OUTLINED inline bool are_rows(const Operand& x, const Shape* shapes, const Operand* outputs,
                                   int n, const RowNode* nodes, int reductions) {
  unsigned along = 0;
  for (int i = x.rank - x.row_rank; i < x.rank; ++i) along |= 1U << i;
  for (int r = 0; r < reductions; ++r) {
    bool same = nodes[r].shape.rank() == x.rank && nodes[r].axes.mask == along;
    for (int i = 0; same && i < x.rank; ++i) same = nodes[r].shape[i] == x.size[i];
    if (!same) return false;
  }
  for (int k = 0; k < n; ++k) {
    const Strides whole = contiguous_strides(shapes[k]);
    for (int i = 0; i < shapes[k].rank(); ++i) {
      if (shapes[k][i] != 1 && outputs[k].stride[i] != whole[i]) return false;
    }
  }
  return true;
}

/// A row program's shapes and operands: its outputs, its leaves, then its reductions' values.
struct RowTree {
  const Shape* shapes = nullptr;  // of the outputs
  int outputs = 0;
  const int* last_leaf = nullptr;  // of each output
  RowNode* nodes = nullptr;
  int reductions = 0;
  Operand* operands = nullptr;
  int leaves = 0;
  /// Whether rows are worth one kernel on the device; few long ones are not.
  bool (*fuses)(int64_t rows, int64_t length) = nullptr;
  /// The same where rows are columns in memory, neighbours adjacent; null: just as others.
  bool (*fuses_columns)(int64_t rows, int64_t length) = nullptr;

  /// Whether the device divides rows among blocks, so that few long ones are worth one kernel too
  /// where no value depends on another along them.
  bool divides_rows = false;
  /// Bit r: the device can merge reduction r, of all rows, from a state of each: see RowMerges.
  std::uint32_t merges = 0;

  int count() const { return outputs + leaves + reductions; }
  int value_of(int reduction) const { return outputs + leaves + reduction; }
  bool in_outputs(int reduction) const { return nodes[reduction].parent < 0; }
};

/// Cuts a row program into kernels: reductions that run along the same rows as what reads them
/// share its kernel, others run before it.
class RowPlanner {
 public:
  /// Launches a kernel over operands laid out along its rows. For the outputs, which come last,
  /// these are the tree's own; for a reduction's value they are copies, and the callee first
  /// allocates the value in both.
  using Launch = void(void* context, const RowTask&, Operand*);

  RowPlanner(const RowTree& tree, Launch* run_task, void* context)
      : tree_(tree), launch_(run_task), context_(context) {}

  /// Runs everything in row kernels. If the outputs do not form a row program, runs only the
  /// reductions directly in them and returns false.
  template <class = void>  // as weft::lib holds it
  WEFT_OUTLINED bool run() {
    RowTask task;
    if (find_trailing(task.geometry)) {
      compute(0, tree_.reductions, task);
      launch_trailing(task);
      return true;
    }
    RowAxes axes[max_row_reductions];
    RowAxes outputs[max_outputs];
    const int found = find_geometry(task.geometry, outputs);
    const bool divided = found >= 0 && tree_.divides_rows && is_one_pass(task.geometry.kept.size());
    if (divided || (found >= 0 && fuses(task.geometry, tree_.nodes[found]))) {
      bool fits = true;
      for (int c = 0; c < tree_.reductions; ++c) {
        if (!tree_.in_outputs(c)) continue;
        const RowAxes& context = outputs[-1 - tree_.nodes[c].parent];
        if (enter_all(c, context, task.geometry, axes)) {
          compute(tree_.nodes[c].first, c + 1, task);
        } else {
          task.mode[c] = RowMode::load;
          fits = fits && !varies(tree_.nodes[c].result, context);
        }
      }
      if (fits) {
        for (int c = 0; c < tree_.reductions; ++c) {
          if (task.mode[c] == RowMode::load) evaluate(c);
        }
        launch(task, axes, outputs);
        return true;
      }
    }
    for (int c = 0; c < tree_.reductions; ++c) {
      if (tree_.in_outputs(c)) evaluate(c);
    }
    return false;
  }

 private:
  bool fuses(const RowGeometry& geometry, const RowNode& node) const {
    const int64_t rows = geometry.kept.size();
    const int64_t length = geometry.reduced.size();
    if (tree_.fuses_columns != nullptr && in_columns(node, tree_.operands)) {
      return tree_.fuses_columns(rows, length);
    }
    return tree_.fuses(rows, length);
  }
  /// Whether the program is several reductions, none of which waits for another, and their results.
  bool is_one_pass(int64_t rows) const {
    int computed = 0;
    for (int r = 0; r < tree_.reductions; ++r) {
      if (!tree_.in_outputs(r)) return false;
      computed += tree_.nodes[r].same == r;
    }
    for (int k = 0; k < tree_.outputs; ++k) {
      if (tree_.shapes[k].size() != rows) return false;
    }
    return computed > 1;
  }

  /// Runs the kernels that compute one reduction.
  void run(int target) {
    if ((tree_.merges >> target & 1U) != 0 && run_in_pieces(target)) return;
    RowTask task;
    task.target = target;
    RowAxes axes[max_row_reductions];
    own_axes(tree_.nodes[target], task.geometry, axes[target]);
    const bool fuse = fuses(task.geometry, tree_.nodes[target]);
    for (int c = tree_.nodes[target].first; c < target; ++c) {
      if (tree_.nodes[c].parent != target) continue;
      if (fuse && enter_all(c, axes[target], task.geometry, axes)) {
        compute(tree_.nodes[c].first, c + 1, task);
      } else {
        evaluate(c);
        task.mode[c] = RowMode::load;
      }
    }
    task.mode[target] = RowMode::compute;
    launch(task, axes, nullptr);
  }

  /// The same of a total of a formula in which other reductions run along rows: in one kernel with
  /// them, if there are no others.
  bool run_in_pieces(int target) {
    const RowNode& node = tree_.nodes[target];
    if (node.first == target || node.result.size() != 1 || node.shape.size() == 0) return false;
    const RowNode& last = tree_.nodes[target - 1];  // directly in it
    RowTask task;
    RowAxes axes[max_row_reductions];
    RowAxes inside;
    RowGeometry& rows = task.geometry;
    own_axes(last, rows, inside);
    const bool each_once = rows.kept.size() * rows.reduced.size() == node.shape.size();
    return rows.kept.size() > 1 && each_once &&
           output_axes(node.shape, last, inside, axes[target]) && fuses(rows, last) &&
           launch_in_pieces(target, task, axes);
  }
  bool launch_in_pieces(int target, RowTask& task, RowAxes* axes) {
    const int first = tree_.nodes[target].first;
    for (int c = first; c < target; ++c) {
      if (tree_.nodes[c].parent == target && !enter_all(c, axes[target], task.geometry, axes)) {
        return false;
      }
    }
    compute(first, target, task);
    task.mode[target] = RowMode::compute;
    task.target = target;
    task.in_pieces = true;
    launch(task, axes, nullptr);
    return true;
  }

  /// Marks reductions as computed by the task, equal ones once.
  void compute(int first, int end, RowTask& task) const {
    for (int q = first; q < end; ++q) {
      const int same = tree_.nodes[q].same;
      const bool known = same != q && task.mode[same] == RowMode::compute;
      task.mode[q] = known ? RowMode::same : RowMode::compute;
      task.same[q] = static_cast<signed char>(same);
    }
  }

  /// Whether a reduction's value varies along a row.
  static bool varies(const Shape& result, const RowAxes& context) {
    const int shift = context.rank - result.rank();
    for (int i = 0; i < result.rank(); ++i) {
      if (result[i] != 1 && context.label[i + shift] < 0) return true;
    }
    return false;
  }

  /// Computes a reduction on its own, unless an equal one has been.
  void evaluate(int c) {
    Operand& value = tree_.operands[tree_.value_of(c)];
    const Operand& same = tree_.operands[tree_.value_of(tree_.nodes[c].same)];
    if (same.data != nullptr) {
      value.keep = same.keep;
      value.set(same.data, static_cast<std::size_t>(same.itemsize), tree_.nodes[c].result,
                contiguous_strides(tree_.nodes[c].result), same.storage);
    } else {
      run(c);
    }
  }

  WEFT_OUTLINED bool enter_all(int c, const RowAxes& context, const RowGeometry& geometry,
                               RowAxes* axes) {
    if (!enter(tree_.nodes[c], context, geometry, axes[c])) return false;
    for (int q = tree_.nodes[c].first; q < c; ++q) {
      if (tree_.nodes[q].parent == c && !enter_all(q, axes[c], geometry, axes)) return false;
    }
    return true;
  }

  /// Whether all reductions are along the same last axes of the outputs, keep them, and are worth
  /// one kernel. Most statements are such, and take half the time to plan.
  WEFT_OUTLINED bool find_trailing(RowGeometry& geometry) {
    const Shape& shape = tree_.shapes[0];
    const int rank = shape.rank();
    const RowNode* const nodes = tree_.nodes;
    const unsigned mask = nodes->axes.mask;
    if (mask == 0) return false;
    const int kept = __builtin_ctz(mask);
    if (kept >= rank || mask >> kept != (1U << (rank - kept)) - 1) return false;
    for (int k = 1; k < tree_.outputs; ++k) {
      if (!(tree_.shapes[k] == shape)) return false;
    }
    const RowNode* first = nullptr;
    for (const RowNode* node = nodes; node != nodes + tree_.reductions; ++node) {
      if (node->axes.mask != mask || !node->axes.keep) return false;
      if (nodes + node->same == node && !(node->shape == shape)) return false;
      if (first == nullptr && node->parent < 0) first = node;
    }
    for (int i = 0; i < rank; ++i)
      (i < kept ? geometry.kept : geometry.reduced).push_back(shape[i]);
    return fuses(geometry, *first);
  }

  /// The number of a reduction directly in an output whose geometry suits all outputs, or -1.
  WEFT_OUTLINED int find_geometry(RowGeometry& geometry, RowAxes* outputs) const {
    for (int c = 0; c < tree_.reductions; ++c) {
      if (!tree_.in_outputs(c)) continue;
      RowAxes inside;
      own_axes(tree_.nodes[c], geometry, inside);
      const int own = -1 - tree_.nodes[c].parent;
      bool all = output_axes(tree_.shapes[own], tree_.nodes[c], inside, outputs[own]);
      for (int k = 0; k < tree_.outputs && all; ++k) {
        all = k == own || fit(k, tree_.nodes[c].shape, inside, geometry, outputs[k]);
      }
      if (all) return c;
    }
    return -1;
  }

  /// The labels of output k in a geometry, given by a reduction in it or by its shape, if that is
  /// the one that `inside` is of.
  WEFT_OUTLINED bool fit(int k, const Shape& shape, const RowAxes& inside,
                         const RowGeometry& geometry, RowAxes& axes) const {
    for (int c = 0; c < tree_.reductions; ++c) {
      if (tree_.nodes[c].parent != -1 - k) continue;
      RowGeometry own;
      RowAxes own_inside;
      own_axes(tree_.nodes[c], own, own_inside);
      if (own == geometry && output_axes(tree_.shapes[k], tree_.nodes[c], own_inside, axes)) {
        return true;
      }
    }
    axes = inside;
    return tree_.shapes[k] == shape;
  }

  /// Launches the kernel of all outputs in find_trailing's geometry: broadcast, nothing moves.
  WEFT_OUTLINED void launch_trailing(RowTask& task) {
    const Shape& shape = tree_.shapes[0];
    const int rank = shape.rank();
    Operand* const operands = tree_.operands;
    Operand* x = operands;
    for (Operand* const end = x + tree_.value_of(0); x != end; ++x) {
      if (!x->has_shape(shape)) x->broadcast_to(shape);
    }
    for (Operand* const end = x + tree_.reductions; x != end; ++x) unused(*x, rank);
    for (int k = 0; k < tree_.outputs; ++k) task.along_row[k] = true;
    for (int r = 0; r < tree_.reductions; ++r) {
      if (task.mode[r] != RowMode::same) continue;
      const RowNode& node = tree_.nodes[r];
      for (x = operands + node.first_leaf; x != operands + node.last_leaf; ++x) unused(*x, rank);
    }
    launch_(context_, task, operands);
  }

  WEFT_OUTLINED void launch(RowTask& task, const RowAxes* axes, const RowAxes* outputs) {
    const int target = task.target;
    Operand* operands = tree_.operands;
    if (target >= 0) {
      copies_ = std::vector<Operand>(operands, operands + tree_.count());
      operands = copies_.data();
    }
    const int rank = task.geometry.kept.rank() + task.geometry.reduced.rank();
    for (int k = 0; k < tree_.outputs; ++k) {
      if (target >= 0) {
        unused(operands[k], rank);
        continue;
      }
      place_in_row(operands[k], outputs[k], task.geometry);
      for (int i = 0; i < outputs[k].rank; ++i) task.along_row[k] |= outputs[k].label[i] < 0;
    }
    signed char node_of[max_operands];  // the innermost reduction that contains a leaf
    for (int i = 0; i < tree_.leaves; ++i) node_of[i] = -1;
    for (int r = tree_.reductions - 1; r >= 0; --r) {
      for (int i = tree_.nodes[r].first_leaf; i < tree_.nodes[r].last_leaf; ++i) {
        node_of[i - tree_.outputs] = static_cast<signed char>(r);
      }
    }
    for (int i = tree_.outputs, k = 0; i < tree_.outputs + tree_.leaves; ++i) {
      const int node = node_of[i - tree_.outputs];
      while (i >= tree_.last_leaf[k]) ++k;
      if (node >= 0 ? task.mode[node] != RowMode::compute : target >= 0) {
        unused(operands[i], rank);
      } else {
        place_in_row(operands[i], node >= 0 ? axes[node] : outputs[k], task.geometry);
      }
    }
    for (int r = 0; r < tree_.reductions; ++r) {
      Operand& value = operands[tree_.value_of(r)];
      if (task.mode[r] == RowMode::load && tree_.nodes[r].result.size() == 0) {
        task.mode[r] = RowMode::skip;  // no row reads it
      }
      if (r == target) {
        continue;
      } else if (task.mode[r] != RowMode::load) {
        unused(value, rank);
      } else {
        const int parent = tree_.nodes[r].parent;
        place_in_row(value, target >= 0 ? axes[target] : outputs[-1 - parent], task.geometry);
      }
    }
    launch_(context_, task, operands);
  }

  static void unused(Operand& x, int rank) {
    for (int d = 0; d < rank; ++d) x.stride[d] = 0;
  }

  const RowTree& tree_;
  std::vector<Operand> copies_;
  Launch* launch_;
  void* context_;
};

}  // namespace weft::detail
