// Planning gradients along rows: the rows, and where each Var's gradient goes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/segment.hpp"
#include "weft/eval/rows/plan.hpp"

namespace weft::autograd {

/// What happens to the gradient of one Var, which all operands in `leaves` are.
struct RowTarget {
  enum Kind : signed char { whole, summed, row_sums };
  Variable* variable = nullptr;
  std::uint64_t leaves = 0;
  Shape shape;
  Kind kind = whole;
  int place = 0;  // among the outputs of its kind
};

/// An expression's rows, and the gradients that are wanted.
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
                                        int sums) {
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
      target.kind = RowTarget::summed;
    }
    target.place = rows.outputs[target.kind == RowTarget::row_sums]++;
  }
  return rows.outputs[0] <= wholes;
}

/// Whether rows are so few that a separate launch, which may cut them into pieces, computes what
/// they need of the forward pass.
inline bool are_few(const weft::detail::RowGeometry& geometry) {
  return geometry.kept.size() <= 1024 && geometry.reduced.size() >= 1 << 14;
}

}  // namespace weft::autograd
