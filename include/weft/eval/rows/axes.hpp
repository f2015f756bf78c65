// How the axes of an expression's parts map to the rows that its reductions run along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/program.hpp"

namespace weft::detail {

/// The dimensions that count rows, and those along a row.
struct RowGeometry {
  Shape kept;
  Shape reduced;
  bool operator==(const RowGeometry&) const = default;
};

/// How the axes of one part of an expression map to a geometry.
struct RowAxes {
  static constexpr signed char neither = 99;  // size 1
  int rank;                                   // both uninitialised: most of the many are never used
  signed char label[max_rank];                // k: kept axis k; ~j: reduced axis j
};

/// The geometry of a reduction on its own.
WEFT_OUTLINED inline void own_axes(const RowNode& node, RowGeometry& geometry, RowAxes& axes) {
  geometry = {};
  axes.rank = node.shape.rank();
  for (int i = 0; i < axes.rank; ++i) {
    Shape& part = node.axes.reduces(i) ? geometry.reduced : geometry.kept;
    axes.label[i] = static_cast<signed char>(node.axes.reduces(i) ? ~part.rank() : part.rank());
    part.push_back(node.shape[i]);
  }
}

/// The labels of an output's axes when `node`, a reduction directly in it, gives the geometry;
/// false where the reduction's value does not belong to one row of the output.
WEFT_OUTLINED inline bool output_axes(const Shape& shape, const RowNode& node,
                                      const RowAxes& inside, RowAxes& axes) {
  axes.rank = shape.rank();
  for (signed char& label : axes.label) label = RowAxes::neither;
  const bool whole = node.result.rank() == 0;
  if (whole && shape.size() == 1) return true;
  const bool keeps = node.axes.keep || whole;
  const int rank = keeps ? node.shape.rank() : node.result.rank();
  int at = shape.rank() - rank;
  for (int i = 0; i < shape.rank() - rank; ++i) {
    if (shape[i] != 1) return false;
  }
  if (at < 0) return false;
  bool along_row = true;
  for (int i = 0, k = at; keeps && i < node.shape.rank(); ++i, ++k) {
    if (node.axes.reduces(i) && shape[k] != node.shape[i]) along_row = false;
  }
  for (int i = 0; i < node.shape.rank(); ++i) {
    const bool reduced = node.axes.reduces(i);
    if (reduced && !keeps) continue;
    if (reduced && !along_row) {
      if (shape[at++] != 1) return false;
    } else {
      if (shape[at] != node.shape[i]) return false;
      axes.label[at++] = inside.label[i];
    }
  }
  return true;
}

/// The labels of the operand of a reduction whose value is read in `context`; false if it does not
/// run along the geometry's rows.
WEFT_OUTLINED inline bool enter(const RowNode& node, const RowAxes& context,
                                const RowGeometry& geometry, RowAxes& axes) {
  axes.rank = node.shape.rank();
  int at = context.rank - node.result.rank();
  int reduced = 0;
  unsigned kept = 0;
  for (int i = 0; i < axes.rank; ++i) {
    signed char& label = axes.label[i];
    label = RowAxes::neither;
    const signed char outside = at < context.rank ? context.label[at] : RowAxes::neither;
    if (node.axes.reduces(i)) {
      const int j = reduced++;
      if (j >= geometry.reduced.rank() || geometry.reduced[j] != node.shape[i]) return false;
      if (node.axes.keep) {
        if (outside != ~j && outside != RowAxes::neither) return false;
        ++at;
      }
      label = static_cast<signed char>(~j);
    } else {
      if (node.shape[i] != 1) {
        if (outside < 0 || outside == RowAxes::neither) return false;
        if (geometry.kept[outside] != node.shape[i]) return false;
        label = outside;
        kept |= 1U << outside;
      }
      ++at;
    }
  }
  if (reduced != geometry.reduced.rank()) return false;
  for (int k = 0; k < geometry.kept.rank(); ++k) {
    if (geometry.kept[k] != 1 && (kept >> k & 1U) == 0) return false;
  }
  return true;
}

/// Sets an operand's strides along the kept, then along the reduced dimensions.
WEFT_OUTLINED inline void place_in_row(Operand& x, const RowAxes& axes,
                                       const RowGeometry& geometry) {
  const int rank = geometry.kept.rank() + geometry.reduced.rank();
  int64_t strides[max_rank];
  for (int d = 0; d < rank; ++d) strides[d] = 0;
  for (int i = axes.rank - x.rank, own = 0; own < x.rank; ++i, ++own) {
    const int label = axes.label[i];
    if (label == RowAxes::neither) continue;
    const bool kept = label >= 0;
    const int64_t size = kept ? geometry.kept[label] : geometry.reduced[~label];
    const bool stretched = x.size[own] == 1 && size != 1;
    strides[kept ? label : geometry.kept.rank() + ~label] = stretched ? 0 : x.stride[own];
  }
  for (int d = 0; d < rank; ++d) x.stride[d] = strides[d];
}

}  // namespace weft::detail
