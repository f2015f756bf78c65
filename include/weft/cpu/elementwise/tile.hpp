// Operands that are contiguous along another axis than the target: transposed tile by tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/element_work.hpp"

namespace weft::cpu::detail {

/// The operands to transpose, as bits, and the dimension along which they are contiguous; -1 if
/// there are none.
struct Transposition {
  int dimension = -1;
  std::uint64_t operands = 0;
  int itemsize = 0;  // the largest

  bool has(int i) const { return i < 64 && (operands >> i & 1U) != 0; }
};

inline constexpr int tile_rows = 64;
inline constexpr int tile_bytes = 256;  // of a row
inline constexpr int max_transposed = 4;

/// The operands worth transposing.
WEFT_OUTLINED inline Transposition find_transposition(const weft::detail::Loops& loops,
                                                      const weft::detail::Operand* operands, int n,
                                                      int targets, const bool* computed) {
  constexpr int64_t shortest = 16;
  Transposition transposition;
  const int inner = loops.rank - 1;
  if (inner < 1 || loops.size[inner] < shortest) return transposition;
  int found = 0;
  for (int i = targets; i < n && i < 64 && found < max_transposed; ++i) {
    const int64_t along = operands[i].stride[inner];
    if (along == 1 || along == 0 || computed[i - targets]) continue;
    const int bytes = operands[i].itemsize;
    if (bytes > 16 || (bytes & (bytes - 1)) != 0) continue;  // Small<T, R, C>
    for (int d = 0; d < inner; ++d) {
      if (operands[i].stride[d] != 1 || loops.size[d] < shortest) continue;
      if (transposition.dimension >= 0 && transposition.dimension != d) continue;
      transposition.dimension = d;
      transposition.operands |= std::uint64_t{1} << i;
      if (operands[i].itemsize > transposition.itemsize)
        transposition.itemsize = operands[i].itemsize;
      ++found;
      break;
    }
  }
  return transposition;
}

/// The elements of a target row before the first cache line boundary, if that is the same in all
/// rows, so that tiles then cover whole lines; otherwise -1.
WEFT_OUTLINED inline int before_lines(const weft::detail::Loops& loops,
                                      const weft::detail::Operand& target,
                                      const Transposition& transposition) {
  constexpr int line = 64;
  const auto offset = static_cast<int>(reinterpret_cast<std::uintptr_t>(target.data) % line);
  bool whole = offset % target.itemsize == 0 &&
               tile_bytes / transposition.itemsize * target.itemsize >= line;
  for (int d = 0; d + 1 < loops.rank; ++d) {
    whole = whole && target.stride[d] * target.itemsize % line == 0;
  }
  return whole ? offset / target.itemsize : -1;
}

/// An element-wise loop some of whose operands are transposed.
struct TileWork {
  const weft::detail::Loops& loops;
  const weft::detail::Operand* operands;
  int n;
  int targets;
  const bool* computed;
  ElementLoop* loop;
  const void* programs;
  const Movers& movers;
  Transposition transposition;
  std::uint64_t streamed = 0;  // a bit for each target that is written non-temporally
  int before = 0;              // elements by which the first tile of a row is narrower
  bool packs = false;          // a tile's rows, which are whole, are put behind each other

  /// Rows of tiles.
  int64_t items() const {
    const int64_t rows = loops.size[transposition.dimension];
    return loops.count() / (rows * loops.size[loops.rank - 1]) * tiles_of(rows);
  }

  /// Rows of tiles first to last - 1.
  WEFT_OUTLINED void run(int64_t first, int64_t last) const {
    const int inner = loops.rank - 1;
    const int d = transposition.dimension;
    const int width = tile_bytes / transposition.itemsize;
    const int64_t tiles = tiles_of(loops.size[d]);
    const auto count = static_cast<std::size_t>(n);
    auto* blocked = static_cast<BlockOperand*>(__builtin_alloca(count * sizeof(BlockOperand)));
    auto* row = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
    auto* at = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
    auto* step = static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t)));
    auto* skip = static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t)));
    alignas(64) char scratch[Block::scratch_bytes];
    alignas(64) char transposed[max_transposed][tile_rows * (tile_bytes + 16)];
    const int pitch = packs ? static_cast<int>(loops.size[inner]) : width + 1;
    for (int i = 0; i < n; ++i) {
      const bool transposes = transposition.has(i);
      step[i] = transposes ? 1 : operands[i].stride[inner];
      ::new (blocked + i) BlockOperand{nullptr, step[i], operands[i].itemsize};
      blocked[i].streams = i < targets && i < 64 && (streamed >> i & 1U) != 0 && step[i] == 1;
      blocked[i].direct =
          (step[i] == 1 && !blocked[i].streams) || (i >= targets && computed[i - targets]);
      blocked[i].pitch = (transposes ? pitch : operands[i].stride[d]) * operands[i].itemsize;
      if (!packs) continue;
      blocked[i].packed = step[i] != 1 || blocked[i].pitch != pitch * operands[i].itemsize;
      blocked[i].direct = !blocked[i].packed;
      if (blocked[i].pitch != 0) step[i] = 1;  // it varies from row to row
    }
    Block block(blocked, n, targets, scratch, movers);
    // Rows of tiles are counted over all dimensions but the inner one.
    weft::detail::Loops outer = loops;
    outer.rank = inner;
    outer.size[d] = tiles;
    for (int64_t k = first; k < last; ++k) {
      int64_t index[max_rank];
      for (int64_t e = inner - 1, rest = k; e >= 0; --e) {
        index[e] = rest % outer.size[e];
        rest /= outer.size[e];
      }
      index[d] *= tile_rows;
      const int64_t left = loops.size[d] - index[d];
      const int rows = static_cast<int>(left < tile_rows ? left : tile_rows);
      for (int i = 0; i < n; ++i) {
        int64_t offset = 0;
        for (int e = 0; e < inner; ++e) offset += index[e] * operands[i].stride[e];
        row[i] = operands[i].data + offset * operands[i].itemsize;
      }
      int columns = width - before;
      for (int64_t start = 0; start < loops.size[inner]; start += columns, columns = width) {
        const int64_t rest = loops.size[inner] - start;
        if (rest < columns) columns = static_cast<int>(rest);
        run_tile(blocked, row, at, step, skip, block, transposed, rows, start, columns, pitch);
      }
    }
  }

 private:
  static int64_t tiles_of(int64_t rows) { return (rows + tile_rows - 1) / tile_rows; }

  void run_tile(BlockOperand* blocked, char* const* row, char** at, const int64_t* step,
                int64_t* skip, Block& block, char (*transposed)[tile_rows * (tile_bytes + 16)],
                int rows, int64_t start, int columns, int pitch) const {
    const int inner = loops.rank - 1;
    int next = 0;
    for (int i = 0; i < n; ++i) {
      const int64_t along = operands[i].stride[inner];
      blocked[i].row = row[i] + start * along * operands[i].itemsize;
      if (!transposition.has(i)) continue;
      movers.transpose(blocked[i].row, along, transposed[next], pitch, rows, columns,
                       operands[i].itemsize);
      blocked[i].row = transposed[next++];
    }
    const int64_t fit = block.length() / columns;
    const int together = fit < rows ? static_cast<int>(fit) : rows;
    for (int r = 0; r < rows; r += together) {
      const int some = rows - r < together ? rows - r : together;
      block.load(0, columns, at, ~std::uint64_t{0}, some, skip);
      if (packs) {
        loop(programs, at, step, skip, 1, some * columns);
      } else {
        loop(programs, at, step, skip, some, columns);
      }
      block.store(0, columns, some);
      for (int i = 0; i < n; ++i) blocked[i].row += some * blocked[i].pitch;
    }
  }
};

}  // namespace weft::cpu::detail
