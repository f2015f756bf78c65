// Ragged rows: where their vectors begin, and what the first and the last have of the row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/threads.hpp"

namespace weft::on_cuda::detail {

/// Whether an operand is another one in each row, or in some.
inline bool is_by_row(const RowLoops& grid, const RowOperand& x) {
  for (int d = 0; d < grid.kept_rank; ++d) {
    if (x.kept_stride[d] != 0) return true;
  }
  return false;
}

/// Whether two operands' vectors of so many lanes begin at the same elements of each row.
inline bool is_in_step(const RowLoops& grid, const RowOperand& x, const RowOperand& y, int lanes) {
  const auto place = [](const RowOperand& o) {
    return static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(o.data)) / o.itemsize;
  };
  bool same = (place(x) - place(y)) % lanes == 0;
  for (int d = 0; d < grid.kept_rank; ++d) {
    same = same && (x.kept_stride[d] / x.itemsize - y.kept_stride[d] / y.itemsize) % lanes == 0;
  }
  return same;
}

#if defined(__CUDACC__)

/// A thread's vector 0 of a row of vectors of V lanes. Of a ragged row the first and the last
/// vector are not whole; to have both as the vector 0 of a thread, the last one comes before all
/// others.
template <int V>
struct RowEdge {
  int begin = 0;      // the lanes that the row has begin there
  int end = V;        // and end before this one
  unsigned wrap = 0;  // vectors that it is further on than it would be
  int back = 0;       // elements from where vectors are counted to the row's first

  /// Finds it in a ragged row, of whose vectors those of the operand `origin` are aligned. Gives
  /// the number of vectors.
  __device__ __forceinline__ unsigned find(const RowLoops& grid, const RowOperand& origin,
                                           const RowPlace& place) {
    const auto at = reinterpret_cast<std::uintptr_t>(kept_row_start(grid, origin, place));
    const unsigned before = (static_cast<unsigned>(at) >> (__ffs(origin.itemsize) - 1)) % V;
    const unsigned all = before + static_cast<unsigned>(grid.count);
    const unsigned length = (all + V - 1) / V;
    back = static_cast<int>(V + before);
    if (place.lane == 0) {
      wrap = length;
      end = static_cast<int>(all - (length - 1) * V);
    } else if (place.lane == 1) {
      begin = static_cast<int>(before);
    }
    return length;
  }
  __device__ __forceinline__ bool is_whole() const { return end - begin >= V; }
  /// Makes it a later, whole vector.
  __device__ __forceinline__ void pass() {
    begin = 0;
    end = V;
    wrap = 0;
  }
};

#endif

}  // namespace weft::on_cuda::detail
