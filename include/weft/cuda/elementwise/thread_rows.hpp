// Several rows of an element-wise statement for each thread: finding a row takes instructions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/plan_grid.hpp"

namespace weft::on_cuda {

/// The most operands, targets included, of a statement whose threads may compute several rows: the
/// loop takes registers.
inline constexpr int most_of_several_rows = 5;
/// The least threads that are left when each computes several rows, and log2 of the most rows.
inline constexpr unsigned least_threads_of_several_rows = 1U << 19;
inline constexpr int most_rows_shift = 2;

namespace detail {

/// Assigns 2^shift rows of the innermost dimension but one to each thread. They are as far apart as
/// lets a warp, in each of them, read at least as many neighbouring vectors as it has threads: next
/// to each other, or one after each few rows of others. Where rows do not divide so, the last
/// threads have fewer; false if that would leave too many with nothing to do.
inline bool place_thread_rows(int shift, int lanes, ElementwiseLoops& grid) {
  unsigned apart = 0;
  while (shift > 0 && int64_t{grid.inner} << apart < int64_t{32} * lanes) ++apart;
  const uint64_t together = uint64_t{1} << (static_cast<unsigned>(shift) + apart);
  const uint64_t padded = (grid.rows + together - 1) / together * together;
  if (padded - grid.rows > grid.rows / 8) return false;
  const auto placed = static_cast<unsigned>(padded >> shift);
  grid.items = grid.items / grid.size[0].divisor * placed;
  grid.rows_shift = shift;
  grid.row_step = 1U << apart;
  grid.row_shift = apart;
  grid.row_skip = ((1U << shift) - 1) << apart;
  grid.size[0] = FastDivmod(placed);
  return true;
}

/// Assigns several rows to each thread if operands are few and some are broadcast: finding a row
/// then costs more instructions than computing a vector of it. Requires many rows.
WEFT_OUTLINED inline void plan_thread_rows(const Loops& loops, const Operand* operands, int n,
                                           int distinct, int lanes, ElementwiseLoops& grid) {
  const int last = loops.rank - 1;
  bool broadcast = false;
  for (int i = 1; i < n && last > 0; ++i) {
    broadcast = broadcast || operands[i].stride[last] == 0 || operands[i].stride[last - 1] == 0;
  }
  if (!broadcast || distinct > most_of_several_rows) return;
  for (int shift = most_rows_shift; shift > 0; --shift) {
    if (grid.items >> shift < least_threads_of_several_rows) continue;
    if (place_thread_rows(shift, lanes, grid)) return;
  }
}

/// The same where vectors cross into the next row: each thread has a vector in each part of the
/// rows, at the same elements.
inline void plan_flat_rows(const Loops& loops, int distinct, int lanes, ElementwiseLoops& grid) {
  const auto vectors = static_cast<unsigned>(loops.count() / lanes);
  const unsigned rows = grid.size[0].divisor;
  grid.items = vectors;
  if (distinct > most_of_several_rows || vectors >> most_rows_shift < least_threads_of_several_rows)
    return;
  const auto full = static_cast<unsigned>(lanes);
  const unsigned part = (((rows - 1) >> most_rows_shift) / full + 1) * full;
  if (part >= rows) return;
  grid.rows_shift = most_rows_shift;
  grid.rows = rows;
  grid.row_step = part;
  grid.size[0] = FastDivmod(part);
  grid.items = static_cast<unsigned>(loops.count() / rows * part / lanes);
}

}  // namespace detail
}  // namespace weft::on_cuda
