// How the operands of a reduction lie along vectors: which of them tells where vectors begin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/cuda/primitive/plan_grid.hpp"

namespace weft::on_cuda::detail {

/// How a vector's lanes lie in all operands.
struct VectorLayout {
  bool possible = true;     // contiguous or one element in all operands
  bool aligned = true;      // every vector of the leading operand
  int lead = 0;             // the operand that tells where vectors begin; 0: none is contiguous
  std::uint64_t apart = 0;  // bit i: operand i's vectors begin elsewhere
};

/// The layout of n operands, the target first, whose strides are those along `kept` and, in
/// `inside`, along `reduced`; vectors have `lanes` elements along dimension `lanes_at`, which
/// counts kept, then reduced ones.
struct OperandsOfVectors {
  const Loops& kept;
  const Operand* operands;
  const Loops& reduced;
  const Operand* inside;
  int n;
  int lanes;
  int lanes_at;

  VectorLayout find() const {
    VectorLayout out;
    int64_t most = 0;
    for (int i = 1; i < n; ++i) {
      const int64_t lane = stride(i, lanes_at);
      if ((lane != 0 && lane != 1) || operands[i].itemsize == 0) out.possible = false;
      if (!is_contiguous(i)) continue;
      if (out.lead == 0 || bytes(i) > most) {
        out.lead = i;
        most = bytes(i);
      }
    }
    if (out.lead == 0) {
      out.aligned = size(lanes_at) % lanes == 0;
      return out;
    }
    // One that is aligned leads in place of the largest, unless it is small.
    for (int i = 1; i < n && !agrees(out.lead, 0); ++i) {
      if (is_contiguous(i) && 2 * bytes(i) >= most && agrees(i, 0)) out.lead = i;
    }
    out.aligned = agrees(out.lead, 0) && size(lanes_at) % lanes == 0;
    for (int i = 1; i < n; ++i) {
      if (is_contiguous(i) && !agrees(i, out.lead)) out.apart |= std::uint64_t{1} << i;
    }
    return out;
  }

 private:
  int rank() const { return kept.rank + reduced.rank; }
  int64_t stride(int i, int d) const {
    return d < kept.rank ? operands[i].stride[d] : inside[i].stride[d - kept.rank];
  }
  int64_t size(int d) const { return d < kept.rank ? kept.size[d] : reduced.size[d - kept.rank]; }
  bool is_contiguous(int i) const { return stride(i, lanes_at) == 1 && operands[i].itemsize != 0; }
  /// Of an operand's elements, each once; positions have none.
  int64_t bytes(int i) const {
    const auto address = reinterpret_cast<std::uintptr_t>(operands[i].data);
    if (address >= static_cast<std::uintptr_t>(IndexOperand::origin)) return 0;
    int64_t out = operands[i].itemsize;
    for (int d = 0; d < rank(); ++d) out *= stride(i, d) != 0 ? size(d) : 1;
    return out;
  }
  /// Elements between the beginning of a vector and operand i along dimension d; d == rank(): at
  /// all.
  int64_t past(int i, int d) const {
    if (d == lanes_at) return 0;
    const auto address = reinterpret_cast<std::uintptr_t>(operands[i].data);
    const int64_t elements =
        d < rank() ? stride(i, d)
                   : static_cast<int64_t>(address / static_cast<unsigned>(operands[i].itemsize));
    return (elements % lanes + lanes) % lanes;
  }
  /// Whether the vectors of two operands begin at the same elements; with 0: whether all of one's
  /// are aligned.
  bool agrees(int i, int with) const {
    for (int d = 0; d <= rank(); ++d) {
      if (past(i, d) != (with != 0 ? past(with, d) : 0)) return false;
    }
    return true;
  }
};

inline VectorLayout vector_layout(const Loops& kept, const Operand* operands, const Loops& reduced,
                                  const Operand* inside, int n, int lanes, int lanes_at) {
  return OperandsOfVectors{kept, operands, reduced, inside, n, lanes, lanes_at}.find();
}

}  // namespace weft::on_cuda::detail
