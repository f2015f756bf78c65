// Planning copies that change the order of axes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/tiled_copy_plan.hpp"

namespace weft::on_cuda {

/// A copy whose source is contiguous along another axis, its rows, than its target, along its
/// columns. A block moves a tile through shared memory, with as many columns and rows as fit, so
/// that all threads have work for axes of any length.
struct TurnedCopy {
  const char* from = nullptr;
  char* to = nullptr;
  int rows = 0;
  int columns = 0;
  int tile_rows = 0;
  FastDivmod tile_columns;
  FastDivmod across;    // tiles of a row of tiles
  FastDivmod down;      // rows of tiles
  int from_column = 0;  // strides in elements
  int to_row = 0;
  bool one_line = false;  // a tile's columns are consecutive in the source,
  bool packed = false;    // its rows in the target
  bool stores_words = false;
  int word = 0;      // bytes moved to shared memory at a time: 4, 8 or 16
  int pitch = 0;     // bytes from a column to the next there
  FastDivmod words;  // of a line: a column, or all
  int outer = 0;
  FastDivmod size[max_rank];  // of the other dimensions, innermost first
  int from_stride[max_rank];
  int to_stride[max_rank];
};

/// A copy into contiguous memory, element by element of the source.
struct FlatCopy {
  const char* from = nullptr;
  char* to = nullptr;
  unsigned count = 0;
  bool aligned = false;
  int rank = 0;
  FastDivmod size[max_rank];  // innermost first
  int stride[max_rank];
};

/// Neighbours that a thread of a flat copy moves.
WEFT_HD constexpr int flat_lanes(int itemsize) { return itemsize <= 4 ? 4 : 2; }

namespace detail {

/// Bytes of the elements of a tile.
inline constexpr int tile_bytes = 16 * 1024;

/// A power-of-two number of columns, at most `most`, that leaves few threads idle.
WEFT_OUTLINED inline int columns_of_tile(int columns, int most) {
  int width = 32;
  while (2 * width <= most && 2 * width <= static_cast<int>(block_threads) && width < columns) {
    width *= 2;
  }
  const auto threads = [&](int w) { return divided_up(columns, w) * w; };
  while (width > 32 && threads(width / 2) * 10 < threads(width) * 9) width /= 2;
  return width;
}

/// The tile of a transposing copy: all of a short axis, and more of the other one.
WEFT_OUTLINED inline void size_tile(TurnedCopy& out, int itemsize) {
  const int elements = itemsize == 1 ? tile_bytes / 2 : tile_bytes / itemsize;
  const int side = itemsize == 1 ? 128 : itemsize == 8 ? 32 : 64;
  const bool few_rows = 2 * out.rows <= 3 * side;
  const bool few_columns = 2 * out.columns <= 3 * side;
  const bool level = out.columns >= 4 && (out.columns & (out.columns - 1)) == 0;
  out.packed = few_columns && !level && out.to_row == out.columns;
  const int width = few_columns && (level || out.packed) ? out.columns
                    : few_rows ? columns_of_tile(out.columns, elements / out.rows)
                               : columns_of_tile(out.columns, elements / side);
  out.tile_rows = few_rows      ? out.rows
                  : few_columns ? even_part(out.rows, elements / width, 32)
                                : even_part(out.rows, side, 8);
  out.tile_columns = FastDivmod(static_cast<unsigned>(width));
}

/// A tile's layout in shared memory, as in the source or by columns that begin in different banks,
/// and its bytes.
WEFT_OUTLINED inline int lay_out_tile(TurnedCopy& out, int itemsize, unsigned misaligned) {
  const auto columns = static_cast<int>(out.tile_columns.divisor);
  const int least = itemsize == 8 ? 8 : 4;
  // Neighbours read words that are `rows` words apart there: at most two of one bank.
  out.one_line = out.tile_rows == out.rows && out.from_column == out.rows && out.rows % 4 != 0;
  const int length = (out.one_line ? columns * out.rows : out.tile_rows) * itemsize;
  out.word = out.one_line || columns <= 8 ? 16 : least;
  const bool starts_anywhere = misaligned % static_cast<unsigned>(out.word) != 0;
  const int words = divided_up(length + (starts_anywhere ? out.word - itemsize : 0), out.word);
  out.words = FastDivmod(static_cast<unsigned>(words));
  if (out.one_line) {
    out.pitch = out.rows * itemsize;
    return (words + 1) * 16;
  }
  out.pitch = (words + (words % 2 == 0 ? 1 : 0)) * out.word;
  return columns * out.pitch + 16;
}

/// Plans a transposing copy of operands[1] to operands[0], whose dimensions are in its order; false
/// if the source is contiguous along no other axis, or tiles would be small.
WEFT_OUTLINED inline bool plan_turned(const Loops& loops, const Operand* operands, TurnedCopy& out,
                                      CopyLaunch& launch) {
  const Operand& to = operands[0];
  const Operand& from = operands[1];
  const int last = loops.rank - 1;
  const int itemsize = to.itemsize;
  if (last < 1 || itemsize > 8 || to.stride[last] != 1 || from.stride[last] == 1) return false;
  int along = -1;
  for (int d = 0; d < last; ++d) {
    if (from.stride[d] == 1) along = d;
  }
  if (along < 0) return false;
  out.from = from.data;
  out.to = to.data;
  out.rows = static_cast<int>(loops.size[along]);
  out.columns = static_cast<int>(loops.size[last]);
  out.from_column = static_cast<int>(from.stride[last]);
  out.to_row = static_cast<int>(to.stride[along]);
  size_tile(out, itemsize);
  const auto columns = static_cast<int>(out.tile_columns.divisor);
  if (int64_t{columns} * out.tile_rows < 1024) return false;
  // With any odd stride or start, lines may begin anywhere.
  auto from_bits = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from.data));
  auto to_bits = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to.data));
  const auto bytes = [&](int64_t n) { return static_cast<unsigned>(n * itemsize); };
  int64_t blocks = 1;
  for (int d = last - 1; d >= 0; --d) {
    if (d == along) continue;
    out.size[out.outer] = FastDivmod(static_cast<unsigned>(loops.size[d]));
    out.from_stride[out.outer] = static_cast<int>(from.stride[d]);
    out.to_stride[out.outer] = static_cast<int>(to.stride[d]);
    from_bits |= bytes(from.stride[d]);
    to_bits |= bytes(to.stride[d]);
    blocks *= loops.size[d];
    ++out.outer;
  }
  if (out.tile_rows < out.rows) from_bits |= bytes(out.tile_rows);
  from_bits |= bytes(int64_t{columns} * out.from_column);
  const unsigned line_bits = from_bits | bytes(out.from_column);
  const bool may_be_one = out.tile_rows == out.rows && out.from_column == out.rows;
  launch.shared_bytes = lay_out_tile(out, itemsize, may_be_one ? from_bits : line_bits);
  if (may_be_one && !out.one_line) launch.shared_bytes = lay_out_tile(out, itemsize, line_bits);
  if (launch.shared_bytes > granted_shared_bytes) return false;
  const int lanes = itemsize < 4 ? 4 / itemsize : 1;
  if (out.packed) {
    if (out.tile_rows < out.rows) to_bits |= bytes(int64_t{out.tile_rows} * columns);
  } else {
    to_bits |= bytes(out.to_row) | bytes(columns);
  }
  out.stores_words = lanes > 1 && to_bits % 4 == 0 && columns >= lanes;
  out.across = FastDivmod(static_cast<unsigned>(divided_up(out.columns, columns)));
  out.down = FastDivmod(static_cast<unsigned>(divided_up(out.rows, out.tile_rows)));
  launch.turned = true;
  launch.blocks = static_cast<unsigned>(blocks * out.across.divisor * out.down.divisor);
  return true;
}

/// Plans a flat copy; false where the target is not contiguous.
WEFT_OUTLINED inline bool plan_flat(const Loops& loops, const Operand* operands, FlatCopy& out,
                                    CopyLaunch& launch) {
  int64_t count = 1;
  for (int d = loops.rank - 1; d >= 0; --d) {
    if (operands[0].stride[d] != count) return false;
    out.size[out.rank] = FastDivmod(static_cast<unsigned>(loops.size[d]));
    out.stride[out.rank] = static_cast<int>(operands[1].stride[d]);
    ++out.rank;
    count *= loops.size[d];
  }
  const int itemsize = operands[0].itemsize;
  const int lanes = flat_lanes(itemsize);
  out.from = operands[1].data;
  out.to = operands[0].data;
  out.count = static_cast<unsigned>(count);
  out.aligned =
      reinterpret_cast<std::uintptr_t>(out.to) % static_cast<unsigned>(lanes * itemsize) == 0;
  launch.blocks = static_cast<unsigned>(divided_up(count, int64_t{lanes} * block_threads));
  return true;
}

/// Plans a copy for which the loop over elements has too few of them in a row or tile; no blocks if
/// the loop should do it.
WEFT_OUTLINED inline CopyLaunch plan_copy(const Loops& loops, const Operand* operands,
                                          TurnedCopy& turned, TiledCopy& tiled, FlatCopy& flat) {
  CopyLaunch out;
  const int last = loops.rank - 1;
  const int itemsize = operands[0].itemsize;
  if (last < 1 || operands[1].gathered != 0 || loops.count() < 65536) return out;
  if (plan_turned(loops, operands, turned, out)) {
    // Long axes of large elements use vectors of 16 bytes, like other statements.
    const bool even = turned.rows % 64 == 0 || turned.rows >= 512;
    const int vectors = 256 / itemsize;
    const bool wide = turned.columns % vectors == 0 || turned.columns >= 8 * vectors;
    // If they are aligned to 16 bytes in each row: others are stored one by one.
    const auto start = reinterpret_cast<std::uintptr_t>(turned.to);
    const bool level =
        (start | static_cast<std::uintptr_t>(int64_t{turned.to_row} * itemsize)) % 16 == 0;
    if (itemsize < 4 || !even || !wide || !level) return out;
    return {};
  }
  out = {};
  const int lanes = 16 / itemsize;
  const int64_t inner = loops.size[last];
  if (itemsize <= 8 && inner * itemsize < 64 && inner % lanes != 0) {
    if (plan_tiled(loops, operands, tiled, out)) return out;
    out = {};
    plan_flat(loops, operands, flat, out);
  }
  return out;
}

}  // namespace detail

}  // namespace weft::on_cuda
