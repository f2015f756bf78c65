// What the row program of an expression's gradients reads, and which of its operands are the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/program.hpp"

namespace weft::autograd {

/// What the gradients of a row program read, a bit for each reduction or operand.
struct GradientReads {
  std::uint32_t needed = 0;      ///< all reductions that they need
  std::uint32_t forward = 0;     ///< the forward pass's reductions that they read directly
  std::uint32_t by_forward = 0;  ///< these, and what these need
  std::uint64_t operands = 0;
};

/// The reads of a program whose first output is a gradient; `forward` of its reductions are the
/// forward pass's, and `summed` has a bit for the one whose sums are further outputs.
template <class... Rs, class... Ps>
constexpr GradientReads gradient_reads(const RowProgram<Pack<Rs...>, Pack<Ps...>>*, int forward,
                                       std::uint32_t summed) {
  constexpr std::uint64_t uses[] = {weft::detail::uses_of<decltype(Rs::program)>...};
  constexpr std::uint32_t inner[] = {weft::detail::reductions_of<decltype(Rs::program)>...};
  constexpr std::uint32_t outside[] = {weft::detail::reductions_of<Ps>...};
  const std::uint32_t of_forward = (std::uint32_t{1} << forward) - 1;
  GradientReads out;
  out.operands = (weft::detail::uses_of<Ps> | ...);
  out.needed = outside[0] | summed;
  out.forward = outside[0] & of_forward;
  for (int r = static_cast<int>(sizeof...(Rs)) - 1; r >= 0; --r) {
    if ((out.needed >> r & 1U) == 0) continue;
    out.needed |= inner[r];
    out.operands |= uses[r];
    if (r > forward) out.forward |= inner[r] & of_forward;
  }
  out.by_forward = out.forward;
  for (int r = forward - 1; r >= 0; --r) {
    if ((out.by_forward >> r & 1U) != 0) out.by_forward |= inner[r];
  }
  return out;
}

/// A lowered row program as weft::detail::SameValue asks for it.
struct LoweredRow {
  const weft::detail::Operand* operands;
  const weft::detail::RowNode* nodes;

  bool same_operand(int i, int j) const {
    const weft::detail::Operand& x = operands[i];
    const weft::detail::Operand& y = operands[j];
    bool same = x.data == y.data && x.itemsize == y.itemsize && x.rank == y.rank;
    for (int d = 0; same && d < x.rank; ++d) {
      same = x.size[d] == y.size[d] && x.stride[d] == y.stride[d];
    }
    return same;
  }
  int number(int r) const { return nodes[r].same; }
};

}  // namespace weft::autograd
