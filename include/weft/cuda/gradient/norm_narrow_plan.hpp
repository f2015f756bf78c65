// The plan of a norm's gradients over short rows: which threads have what of a row, and the layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/gradient/norm_plan.hpp"

namespace weft::on_cuda {

inline constexpr unsigned narrow_norm_threads = 256;
/// Elements of a row that a thread keeps, computed in type C, at most.
template <class C>
inline constexpr int narrow_norm_elements = sizeof(C) > 4 ? 8 : 15;
/// The number of groups of rows that a block has loaded or is loading.
inline constexpr unsigned narrow_norm_stages = 3;
/// Shared memory per block such that two blocks fit on a multiprocessor.
inline constexpr unsigned narrow_norm_bytes = 112 * 1024;

/// Where a block keeps what is dense in memory, with rows in the same order: in each stage the
/// operands in `staged`, the gradient, scale and centre, then the results.
template <class T, class C, int N, int K>
struct NarrowNormGrid : NormGrid<T, C, N, K> {
  unsigned group_shift;  // log2 of `group`
  unsigned each;         // neighbours of a row that a thread has, the last ones fewer
  unsigned staged;
  unsigned place[N + 3];
  unsigned stage_bytes;
  unsigned result[K];
  unsigned barriers;
};

namespace detail {

/// Chooses the threads of a row, up to 32 that have `elements` at most.
WEFT_OUTLINED inline void plan_narrow_norm(int64_t rows, int64_t columns, int elements,
                                           int multiprocessors, unsigned& group, unsigned& shift,
                                           unsigned& each, unsigned& rows_a_block,
                                           unsigned& blocks) {
  shift = 0;
  while (columns > int64_t{elements} << shift) ++shift;
  group = 1U << shift;
  each = static_cast<unsigned>((columns + group - 1) / group);
  rows_a_block = narrow_norm_threads / group;
  const int64_t groups = (rows + rows_a_block - 1) / rows_a_block;
  const int64_t resident = int64_t{2} * multiprocessors;
  blocks = static_cast<unsigned>(groups < resident ? groups : resident);
}

/// Plans the kernel for operands that place_operands has placed; returns the bytes of shared memory
/// it takes, or 0 where it does not serve them.
template <class T, class C, int N, int K>
unsigned plan_narrow_norm(const Operand* operands, int elements, int multiprocessors, bool centred,
                          NarrowNormGrid<T, C, N, K>& grid) {
  if (grid.columns > 32U * static_cast<unsigned>(elements)) return 0;
  grid.parts = 1;
  plan_narrow_norm(grid.rows, grid.columns, elements, multiprocessors, grid.group, grid.group_shift,
                   grid.each, grid.rows_a_block, grid.blocks);
  const auto is_dense = [&](const void* p, unsigned bytes) {  // the bytes of a block's rows
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && bytes % 16 == 0;
  };
  const auto round = [](unsigned bytes) { return (bytes + 15) / 16 * 16; };
  const unsigned elements_a_block = grid.rows_a_block * grid.columns;
  const auto gradient_bytes = elements_a_block * static_cast<unsigned>(sizeof(T));
  const auto number_bytes = grid.rows_a_block * static_cast<unsigned>(sizeof(C));
  if (!is_dense(grid.gradient, gradient_bytes) || !is_dense(grid.scale, number_bytes)) return 0;
  if (centred && !is_dense(grid.centre, number_bytes)) return 0;
  unsigned bytes = 0;
  grid.staged = 0;
  for (int i = 0; i < N; ++i) {
    const Operand& x = operands[K + i];
    const unsigned all = elements_a_block * static_cast<unsigned>(x.itemsize);
    grid.place[i] = bytes;
    if (x.stride[0] != grid.columns || x.stride[1] != 1 || !is_dense(x.data, all)) continue;
    grid.staged |= 1U << i;
    bytes += round(all);
  }
  if (N == 1 && grid.staged == 0) return 0;
  grid.place[N] = bytes;
  grid.place[N + 1] = bytes += round(gradient_bytes);
  grid.place[N + 2] = bytes += round(number_bytes);
  grid.stage_bytes = bytes += centred ? round(number_bytes) : 0;
  bytes *= narrow_norm_stages;
  for (int k = 0; k < K; ++k) {
    const auto size = grid.whole != nullptr ? static_cast<unsigned>(sizeof(C))
                                            : static_cast<unsigned>(operands[k].itemsize);
    grid.result[k] = bytes;
    if (grid.whole != nullptr && k > 0) continue;
    const void* to = operands[k].data;
    if (grid.whole != nullptr) to = grid.whole;
    if (!is_dense(to, elements_a_block * size)) return 0;
    bytes += elements_a_block * size;
  }
  grid.barriers = bytes + 512;  // which a row's last thread may read behind the end
  bytes += 512 + 8 * narrow_norm_stages;
  // Sums of all warps, in the end.
  const unsigned sums =
      narrow_norm_threads / 32 * grid.each * grid.group * static_cast<unsigned>(sizeof(C));
  bytes = bytes > sums ? bytes : sums;
  return bytes <= narrow_norm_bytes ? bytes : 0;
}

}  // namespace detail

}  // namespace weft::on_cuda
