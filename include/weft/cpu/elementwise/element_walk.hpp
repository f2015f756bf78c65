// Traversals of all elements of an evaluation, compiled once for all expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/non_temporal.hpp"
#include "weft/cpu/elementwise/tile.hpp"
#include "weft/cpu/parallel.hpp"

namespace weft::cpu::detail {

/// Whether all operands, broadcast to `shape`, are contiguous.
WEFT_OUTLINED inline bool all_flat(const Shape& shape, const weft::detail::Operand* operands,
                                   int n) {
  int64_t step = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const int64_t size = shape[d];
    if (size == 1) continue;
    for (int i = 0; i < n; ++i) {
      if (operands[i].stride[d] != step) return false;
    }
    step *= size;
  }
  return true;
}

/// Elements first to last - 1 of flat operands: no copies, one call of the loop.
WEFT_OUTLINED inline void run_flat(const weft::detail::Operand* operands, int n, ElementLoop* loop,
                                   const void* programs, int64_t first, int64_t last) {
  auto* at = static_cast<char**>(__builtin_alloca(static_cast<std::size_t>(n) * sizeof(char*)));
  auto* step =
      static_cast<int64_t*>(__builtin_alloca(static_cast<std::size_t>(n) * sizeof(int64_t)));
  for (int i = 0; i < n; ++i) {
    at[i] = operands[i].data + first * operands[i].itemsize;
    step[i] = 1;
  }
  loop(programs, at, step, step, 1, last - first);  // a single row uses no skip
}

/// Whether all operands are at unit stride, or positions, along the innermost of two dimensions or
/// more.
WEFT_OUTLINED inline bool all_direct(const ElementWork& work) {
  const int inner = work.loops.rank - 1;
  if (inner < 1) return false;
  for (int i = 0; i < work.n; ++i) {
    const bool position = i >= work.targets && work.computed[i - work.targets];
    if (work.operands[i].stride[inner] != 1 && !position) return false;
  }
  return true;
}

/// Rows first to last - 1 of such operands: no copies, many rows at once.
WEFT_OUTLINED inline void run_direct(const ElementWork& work, int64_t first, int64_t last) {
  const weft::detail::Loops& loops = work.loops;
  const int n = work.n;
  const int inner = loops.rank - 1;
  const auto count = static_cast<std::size_t>(n);
  auto* at = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
  auto* step = static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t)));
  auto* skip = static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t)));
  for (int i = 0; i < n; ++i) {
    at[i] = work.operands[i].data;
    step[i] = work.operands[i].stride[inner];
    skip[i] = work.operands[i].stride[inner - 1] * work.operands[i].itemsize;
  }
  weft::detail::Cursor cursor;
  if (first > 0) cursor.seek(loops, inner, work.operands, n, at, first);
  for (;;) {
    const int64_t left = loops.size[inner - 1] - cursor.index[inner - 1];
    const int64_t rows = left < last - first ? left : last - first;
    work.loop(work.programs, at, step, skip, rows, loops.size[inner]);
    first += rows;
    if (first >= last) return;
    cursor.skip(inner, work.operands, n, at, rows - 1);
    cursor.next(loops, inner, work.operands, n, at);
  }
}

/// Whether operand i's rows, along the innermost dimension, follow each other in memory.
inline bool rows_follow(const ElementWork& work, int i, int across) {
  const int inner = work.loops.rank - 1;
  const weft::detail::Operand& x = work.operands[i];
  return x.stride[inner] == 1 && x.stride[across] == work.loops.size[inner];
}

/// Whether short rows are put behind each other, so that a loop takes many of them as one: what is
/// left of each after its whole vectors would take longer than the vectors. A row that is repeated
/// is copied once; where each row of an operand has to be copied, a light program, or one of whole
/// vectors, is faster without. What is transposed is copied anyway, if a tile has whole rows.
WEFT_OUTLINED inline bool find_packing(const ElementWork& work, bool light,
                                       const Transposition& transposition) {
  const int inner = work.loops.rank - 1;
  if (inner < 1) return false;
  const bool turns = transposition.dimension >= 0;
  const int across = turns ? transposition.dimension : inner - 1;
  const int64_t longest = turns ? tile_bytes / transposition.itemsize : 256;
  const int64_t row = work.loops.size[inner];
  if (row > longest || work.loops.size[across] < 4) return false;
  const bool whole = row % (light ? 16 : 64) == 0;
  if (turns && whole) return false;
  bool gains = turns;
  for (int i = 0; i < work.n; ++i) {
    if (i >= work.targets && work.computed[i - work.targets]) return false;
    if (transposition.has(i) || rows_follow(work, i, across)) continue;
    const weft::detail::Operand& x = work.operands[i];
    const bool copied = x.stride[inner] != 1;  // in any case
    if (!copied && x.stride[across] != 0 && (light || whole)) return false;
    gains = gains || copied || !whole;
  }
  return gains;
}
/// How many rows of n elements are put behind each other, at most `most`: whole vectors if
/// possible.
inline int64_t packed_rows(int64_t n, int64_t most) {
  int64_t unit = 64 / (n & -n);
  while (unit * n > most) unit /= 2;
  return unit > 1 ? most / n / unit * unit : most / n;
}

/// The first operand that a program reads with the elements of operand i, or i.
inline int first_equal(const ElementWork& work, int i) {
  const weft::detail::Operand& x = work.operands[i];
  for (int k = work.targets; k < i; ++k) {
    const weft::detail::Operand& y = work.operands[k];
    bool equal = x.data == y.data && x.itemsize == y.itemsize;
    for (int d = 0; equal && d < work.loops.rank; ++d) equal = x.stride[d] == y.stride[d];
    if (equal) return k;
  }
  return i;
}

/// Blocks first to last - 1, counted across all rows; several short rows at once.
WEFT_OUTLINED inline void run_elements(const ElementWork& work, int64_t first, int64_t last) {
  const weft::detail::Loops& loops = work.loops;
  const int n = work.n;
  const int inner = loops.rank - 1;
  const int64_t size = loops.size[inner];
  const auto bytes_of = [n](std::size_t each) { return static_cast<std::size_t>(n) * each; };
  auto* blocked = static_cast<BlockOperand*>(__builtin_alloca(bytes_of(sizeof(BlockOperand))));
  auto* row = static_cast<char**>(__builtin_alloca(bytes_of(sizeof(char*))));
  auto* at = static_cast<char**>(__builtin_alloca(bytes_of(sizeof(char*))));
  auto* step = static_cast<int64_t*>(__builtin_alloca(bytes_of(sizeof(int64_t))));
  auto* skip = static_cast<int64_t*>(__builtin_alloca(bytes_of(sizeof(int64_t))));
  alignas(64) char scratch[Block::scratch_bytes];
  for (int i = 0; i < n; ++i) {
    step[i] = work.operands[i].stride[inner];
    row[i] = work.operands[i].data;
    ::new (blocked + i) BlockOperand{nullptr, step[i], work.operands[i].itemsize};
    if (inner > 0)
      blocked[i].pitch = work.operands[i].stride[inner - 1] * work.operands[i].itemsize;
    blocked[i].direct = step[i] == 1 || (i >= work.targets && work.computed[i - work.targets]);
    if (work.packs) {
      blocked[i].packed = !rows_follow(work, i, inner - 1);
      blocked[i].direct = !blocked[i].packed;
      if (blocked[i].pitch != 0) step[i] = 1;  // it varies from row to row
    }
    if (i >= work.targets) {
      const int equal = first_equal(work, i);
      if (equal != i && !blocked[i].direct && !blocked[equal].direct) blocked[i].same = equal;
      continue;
    }
    blocked[i].direct = blocked[i].direct || (work.stores.wanted >> i & 1U) == 0;
    blocked[i].kept = (work.stores.adds >> i & 1U) != 0;
  }
  Block block(blocked, n, work.targets, scratch, work.movers);
  weft::detail::Cursor cursor;
  if (first > 0) cursor.seek(loops, inner, work.operands, n, row, first / work.blocks);
  const int64_t longest = block.run_length();
  constexpr int64_t most_packed = 4096;
  const int64_t together =
      inner == 0 || work.blocks != 1 ? 0
      : work.packs ? packed_rows(size, block.length() < most_packed ? block.length() : most_packed)
                   : block.length() / size;
  int64_t b = first % work.blocks;
  while (first < last) {
    for (int i = 0; i < n; ++i) blocked[i].row = row[i];
    if (together > 1) {
      int64_t rows = loops.size[inner - 1] - cursor.index[inner - 1];
      if (rows > together) rows = together;
      if (rows > last - first) rows = last - first;
      block.load(0, size, at, ~std::uint64_t{0}, rows, skip);
      if (work.packs) {
        work.loop(work.programs, at, step, skip, 1, rows * size);
      } else {
        work.loop(work.programs, at, step, skip, rows, size);
      }
      block.store(0, size, rows);
      first += rows;
      if (first < last) cursor.skip(inner, work.operands, n, row, rows - 1);
    } else {
      const int64_t taken = last - first < work.blocks - b ? last - first : work.blocks - b;
      const int64_t end = (b + taken) * block_size < size ? (b + taken) * block_size : size;
      for (int64_t start = b * block_size; start < end;) {
        const int64_t length = end - start < longest ? end - start : longest;
        block.load(start, length, at);
        work.loop(work.programs, at, step, step, 1, length);
        block.store(start, length);
        start += length;
      }
      first += taken;
      b = 0;
    }
    if (first < last) cursor.next(loops, inner, work.operands, n, row);
  }
}

/// All elements of `shape`, by several threads where that pays. `past`, if given, is a loop that
/// does the same with non-temporal stores; `light`: the program is simple arithmetic. A template
/// because weft::lib holds it compiled.
template <class = void>
WEFT_OUTLINED void for_each_element(const Shape& shape, weft::detail::Operand* operands, int n,
                                    int targets, const bool* computed, ElementLoop* loop,
                                    const void* programs, const Movers& copies,
                                    const Stores* stores = nullptr,
                                    const PastCaches* past = nullptr, bool light = false) {
  const int64_t total = shape.size();
  if (total == 0) return;
  std::uint64_t streamed = 0;
  if (stores == nullptr && may_stream(total)) {
    streamed = find_streamed(total, operands, n, targets);
  }
  if (stores == nullptr && all_flat(shape, operands, n)) {
    if (past != nullptr && streamed != 0) {
      loop = past->loop;
      programs = past;
    }
    constexpr int64_t line = 64;  // keeps pieces aligned to vectors if the operands are
    return parallel((total + line - 1) / line, total, [&](int64_t first, int64_t last) {
      run_flat(operands, n, loop, programs, first * line,
               last * line < total ? last * line : total);
      if (streamed != 0) stream_fence();
    });
  }
  weft::detail::Loops loops = weft::detail::loops_over(shape);
  weft::detail::simplify(loops, operands, n);
  if (loops.rank == 0) {
    loops.rank = 1;
    loops.size[0] = 1;
    for (int i = 0; i < n; ++i) operands[i].stride[0] = 1;
  }
  const int64_t row = loops.size[loops.rank - 1];
  const int64_t blocks = (row + block_size - 1) / block_size;
  ElementWork work{loops, operands, n, targets, computed, loop, programs, copies, blocks};
  if (stores != nullptr) work.stores = *stores;
  const bool direct = stores == nullptr && all_direct(work);
  const Transposition transposition =
      stores == nullptr && !direct ? find_transposition(loops, operands, n, targets, computed)
                                   : Transposition{};
  const int before =
      transposition.dimension < 0 ? 0 : before_lines(loops, operands[0], transposition);
  if (operands[0].stride[loops.rank - 1] != 1 || row * operands[0].itemsize < shortest_streamed ||
      before < 0) {
    streamed = 0;
  }
  if (past != nullptr && streamed != 0) {
    work.loop = past->loop;
    work.programs = past;
  }
  const bool transposed = transposition.dimension >= 0;
  TileWork tiles{loops,     operands,      n,      targets,      computed,
                 work.loop, work.programs, copies, transposition};
  if (transposed && streamed != 0) tiles.before = before;
  if (past == nullptr) tiles.streamed = streamed;
  const int64_t rows = total / row;
  work.packs = stores == nullptr && streamed == 0 && find_packing(work, light, transposition);
  tiles.packs = work.packs;
  const bool by_rows = direct && !work.packs && (rows >= 64 || blocks == 1);
  const int64_t items = transposed ? tiles.items() : by_rows ? rows : blocks * rows;
  parallel(items, total, [&](int64_t first, int64_t last) {
    if (transposed) {
      tiles.run(first, last);
    } else if (by_rows) {
      run_direct(work, first, last);
    } else {
      run_elements(work, first, last);
    }
    if (streamed != 0) stream_fence();
  });
}

}  // namespace weft::cpu::detail
