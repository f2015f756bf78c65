// The plan of a norm's gradients: which threads have what of a row, and the layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// The most threads of a block that has a row.
inline constexpr unsigned norm_threads = 512;
/// The most blocks that share a row.
inline constexpr unsigned norm_parts = 8;
/// The threads of a block that adds up lines of sums, and its columns: 32 bytes of floats.
inline constexpr unsigned finish_norm_threads = 512;
inline constexpr unsigned finish_norm_columns = 8;
/// Elements of a row that a thread keeps, computed in type C, at most.
template <class C>
inline constexpr int norm_elements = sizeof(C) > 4 ? 8 : 16;

/// What the gradients of a norm are computed from: x is a function of N operands, K of which have a
/// gradient. A thread has vectors of each row, `group` apart; a block, or the cluster of blocks
/// that share a long row, takes every row_step-th row and leaves a line of sums for the weight,
/// then one for the bias.
template <class T, class C, int N, int K>
struct NormGrid {
  using Element = T;
  using Statistic = C;
  char* target[K];
  const char* data[N];
  long long row[N];  // bytes from a row to the next
  int along[N];      // 1, or 0 where a row is one element
  const T* gradient;
  const T* weight;
  const C* centre;
  const C* scale;
  C* whole;  // takes x's own gradient in place of the targets; or null
  C* sums;
  unsigned rows;
  unsigned columns;
  unsigned group;  // threads of a row: a power of two up to 32, or all of the block
  unsigned rows_a_block;
  unsigned blocks;
  unsigned parts;     // blocks, of one cluster, that share a row
  unsigned slice;     // columns of each, the last one's fewer
  unsigned row_step;  // from a row of a thread to its next
  unsigned fetched;   // operands, as bits, whose rows L2 fetches ahead
  unsigned ahead[N];  // bytes of a slice of each
};

/// Lines of sums, to be added up: `count` of them side by side, `columns` for each target.
template <class T, class C>
struct NormSums {
  const C* lines;
  unsigned height;
  unsigned columns;
  unsigned count;
  T* target[2];
  bool adds[2];
};

namespace detail {
/// Chooses the threads of a row, and the blocks where it is more than one holds; returns the
/// threads of a block.
template <class Grid>
unsigned plan_norm(int lanes, int elements, int multiprocessors, Grid& grid) {
  const unsigned most = norm_threads * static_cast<unsigned>(elements);
  grid.parts = (grid.columns + most - 1) / most;
  grid.slice = grid.columns;
  if (grid.parts > 1) {
    constexpr unsigned even = 128;  // so that all slices begin at 16 bytes
    grid.slice = ((grid.columns + grid.parts - 1) / grid.parts + even - 1) / even * even;
  }
  const unsigned vectors = (grid.slice + static_cast<unsigned>(lanes) - 1) / lanes;
  const auto each = static_cast<unsigned>(elements / lanes);
  const unsigned wanted = (vectors + each - 1) / each;
  unsigned threads = (wanted + 31) / 32 * 32;
  grid.group = threads;
  if (wanted <= 32) {
    grid.group = std::bit_ceil(wanted);
    threads = 128;
  }
  grid.rows_a_block = threads / grid.group;
  const unsigned groups = (grid.rows + grid.rows_a_block - 1) / grid.rows_a_block;
  const unsigned resident =
      static_cast<unsigned>(multiprocessors) * (norm_threads / threads) / grid.parts;
  const unsigned busy = groups < resident ? groups : resident > 0 ? resident : 1;
  grid.blocks = busy * grid.parts;
  grid.row_step = busy * grid.rows_a_block;
  for (unsigned& bytes : grid.ahead) bytes = bytes / grid.columns * grid.slice;
  return threads;
}

/// Copies the addresses and strides of targets and operands; returns whether all rows are full,
/// aligned vectors.
template <class T, class C, int N, int K>
bool place_operands(const Operand* operands, int lanes, NormGrid<T, C, N, K>& grid) {
  const auto lies_at = [](const void* p, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
  };
  bool whole = grid.columns % static_cast<unsigned>(lanes) == 0 && lies_at(grid.gradient, 16) &&
               lies_at(grid.weight, 16);
  for (int k = 0; k < K; ++k) {
    grid.target[k] = operands[k].data;
    const auto bytes =
        static_cast<std::size_t>(operands[k].itemsize) * static_cast<unsigned>(lanes);
    whole = whole && (operands[k].data == nullptr || lies_at(operands[k].data, bytes));
  }
  grid.fetched = 0;
  for (int i = 0; i < N; ++i) {
    grid.ahead[i] = grid.columns * static_cast<unsigned>(operands[K + i].itemsize);
  }
  for (int i = 0; i < N; ++i) {
    const Operand& x = operands[K + i];
    grid.data[i] = x.data;
    grid.row[i] = x.stride[0] * x.itemsize;
    grid.along[i] = static_cast<int>(x.stride[1]);
    if (x.stride[1] == 0) continue;
    const auto bytes = static_cast<std::size_t>(x.itemsize) * static_cast<unsigned>(lanes);
    whole = whole && lies_at(x.data, bytes) && x.stride[0] % lanes == 0;
    const bool dense = x.stride[0] == grid.columns;
    if (dense && grid.row[i] % 16 == 0 && lies_at(x.data, 16)) grid.fetched |= 1U << i;
  }
  return whole;
}
}  // namespace detail

}  // namespace weft::on_cuda
