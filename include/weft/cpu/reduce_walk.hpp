// How reductions go through memory: by rows or by columns, in pieces that do not depend on threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/block.hpp"
#include "weft/cpu/parallel.hpp"

namespace weft::cpu::detail {

/// Loops of no dimension become one of size 1.
[[gnu::noinline]] inline void pad(weft::detail::Loops& loops, weft::detail::Operand* operands,
                                  int n) {
  if (loops.rank > 0) return;
  loops.rank = 1;
  loops.size[0] = 1;
  for (int i = 0; i < n; ++i) operands[i].stride[0] = 0;
}

/// What the loops of one reduction do; `context` is theirs, `memory` a running reduction's.
struct ReduceLoops {
  int bytes;          // of a running reduction of a row
  int state_bytes;    // of a state
  int columns;        // side by side
  int columns_bytes;  // of a running reduction of that many columns
  void (*begin)(const void* context, void* memory);
  /// m elements, the first at `position`.
  void (*add)(const void* context, char* const* at, const int64_t* step, int64_t m,
              int64_t position, void* memory);
  /// The state of the row.
  void (*end)(const void* context, void* memory, char* state);
  void (*begin_columns)(const void* context, void* memory);
  /// `rows` rows of m columns, each operand `skip` bytes behind that of the row before.
  void (*add_rows)(const void* context, char* const* at, const int64_t* step, const int64_t* skip,
                   int m, int64_t rows, int64_t position, void* memory);
  void (*end_columns)(const void* context, void* memory, int m, char* states);
  /// Output = the result of n states, `step` apart.
  void (*finish)(const void* context, const char* states, int64_t n, int64_t step, char* out);
};

/// A reduction of operands 1 to n - 1 over `inner`, for each place of `outer`.
struct ReduceWork {
  const ReduceLoops& loops;
  const void* context;
  const weft::detail::Loops& outer;
  const weft::detail::Operand* operands;
  const weft::detail::Loops& inner;
  const weft::detail::Operand* inside;
  int n;
  const bool* computed;  // which operands behind the target are positions

  static constexpr int64_t elements_a_piece = 1 << 16;
  static constexpr int64_t rows_a_piece = 2048;
  static constexpr int group = 16;  // rows that are added to one state

  [[gnu::noinline]] void run() const {
    const int64_t outputs = outer.count();
    const int64_t length = inner.count();
    const bool across = columns_are_faster();
    const int64_t width = outer.size[outer.rank - 1];
    const int64_t blocks = across ? (width + loops.columns - 1) / loops.columns : width;
    const int64_t items = outputs / width * blocks;
    // Where a long reduction is cut depends on the shape only, and so do the bits of its result.
    const bool lines = !across && inner.rank > 1;  // a piece is some of the rows' lines
    const int64_t size = inner.size[inner.rank - 1];
    int64_t piece = across ? (items < 16 ? rows_a_piece : length) : elements_a_piece;
    if (lines) piece = piece > size ? piece / size : 1;
    const int64_t whole = lines && length > 0 ? length / size : length;
    const int64_t pieces = whole > piece ? (whole + piece - 1) / piece : 1;
    const int64_t bytes = pieces * outputs * loops.state_bytes;
    alignas(16) char small[256];
    char* const states = pieces == 1 ? nullptr
                         : bytes <= 256
                             ? small
                             : static_cast<char*>(::operator new(static_cast<std::size_t>(bytes)));
    parallel(items * pieces, outputs * length, [&](int64_t first, int64_t last) {
      if (across) {
        by_columns(blocks, pieces, piece, first, last, states);
      } else {
        by_rows(pieces, piece, first, last, states);
      }
    });
    if (pieces == 1) return;
    char* out[1] = {operands[0].data};
    weft::detail::Cursor cursor;
    const int64_t step = across ? outputs : 1;
    for (int64_t k = 0; k < outputs; ++k) {
      loops.finish(context, states + k * (across ? 1 : pieces) * loops.state_bytes, pieces, step,
                   out[0]);
      cursor.next(outer, outer.rank, operands, 1, out);
    }
    if (states != small) ::operator delete(states);
  }

 private:
  bool columns_are_faster() const {
    if (outer.size[outer.rank - 1] < 8) return false;
    for (int i = 1; i < n; ++i) {
      const int64_t across = operands[i].stride[outer.rank - 1];
      const int64_t along = inside[i].stride[inner.rank - 1];
      if (across == 1 && along != 1 && along != 0) return true;
    }
    return false;
  }

  Side side_of(int i, int64_t stride) const {
    Side side{nullptr, stride, operands[i].itemsize};
    side.direct = i == 0 || stride == 1 || computed[i - 1];
    return side;
  }

  /// Pieces first to last - 1 of the outputs' rows; their states to `states` if there are several.
  void by_rows(int64_t pieces, int64_t piece, int64_t first, int64_t last, char* states) const {
    const int depth = inner.rank - 1;
    const int64_t length = inner.count();
    const int64_t size = inner.size[depth];
    const int64_t lines = length > 0 ? length / size : 0;
    const auto count = static_cast<std::size_t>(n);
    auto* sides = static_cast<Side*>(__builtin_alloca(count * sizeof(Side)));
    auto* row = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
    auto* line = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
    auto* at = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
    auto* step = static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t)));
    void* const memory = __builtin_alloca_with_align(static_cast<std::size_t>(loops.bytes), 512);
    alignas(64) char room[Block::room_bytes];
    alignas(16) char state[64];
    for (int i = 0; i < n; ++i) {
      step[i] = inside[i].stride[depth];
      row[i] = operands[i].data;
      ::new (sides + i) Side(side_of(i, step[i]));
    }
    Block block(sides, n, 1, room);
    const int64_t most = block.length() < block_size ? block.length() : block_size;
    weft::detail::Cursor cursor;
    cursor.seek(outer, outer.rank, operands, n, row, first / pieces);
    int64_t part = first % pieces;
    for (int64_t k = first; k < last; ++k) {
      loops.begin(context, memory);
      for (int i = 0; i < n; ++i) line[i] = row[i];
      // A piece is a part of one line of elements, or several lines.
      const int64_t begin = depth == 0 ? part * piece : 0;
      const int64_t end = depth == 0 && begin + piece < size ? begin + piece : size;
      const int64_t first_line = depth == 0 ? 0 : part * piece;
      const int64_t last_line =
          depth == 0 || first_line + piece > lines ? lines : first_line + piece;
      weft::detail::Cursor within;
      if (first_line > 0) within.seek(inner, depth, inside, n, line, first_line);
      for (int64_t l = first_line; l < last_line; ++l) {
        for (int i = 0; i < n; ++i) sides[i].row = line[i];
        for (int64_t j = begin; j < end; j += most) {
          const int64_t m = end - j < most ? end - j : most;
          block.load(j, m, at);
          loops.add(context, at + 1, step + 1, m, l * size + j, memory);
        }
        if (depth > 0) within.next(inner, depth, inside, n, line);
      }
      if (pieces > 1) {
        loops.end(context, memory, states + k * loops.state_bytes);
      } else {
        loops.end(context, memory, state);
        loops.finish(context, state, 1, 1, row[0]);
      }
      if (++part == pieces) {
        part = 0;
        cursor.next(outer, outer.rank, operands, n, row);
      }
    }
  }

  /// Pieces first to last - 1 of blocks of neighbouring outputs, reduced side by side.
  void by_columns(int64_t blocks, int64_t pieces, int64_t piece, int64_t first, int64_t last,
                  char* states) const {
    const int across = outer.rank - 1;
    const int64_t length = inner.count();
    const auto count = static_cast<std::size_t>(n);
    auto* sides = static_cast<Side*>(__builtin_alloca(count * sizeof(Side)));
    auto* row = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
    auto* at = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
    auto* step = static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t)));
    auto* skip = static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t)));
    void* const memory =
        __builtin_alloca_with_align(static_cast<std::size_t>(loops.columns_bytes), 512);
    char* const results = static_cast<char*>(__builtin_alloca_with_align(
        static_cast<std::size_t>(loops.columns * loops.state_bytes), 512));
    alignas(64) char room[Block::room_bytes];
    bool direct = inner.rank == 1;
    for (int i = 0; i < n; ++i) {
      step[i] = operands[i].stride[across];
      skip[i] = inside[i].stride[inner.rank - 1] * operands[i].itemsize;
      ::new (sides + i) Side(side_of(i, step[i]));
      direct = direct && sides[i].direct;
    }
    Block block(sides, n, 1, room);
    const int64_t width = block.length() < loops.columns ? block.length() : loops.columns;
    for (int64_t k = first; k < last; ++k) {
      for (int i = 0; i < n; ++i) row[i] = operands[i].data;
      weft::detail::Cursor cursor;
      const int64_t line = k / pieces / blocks;
      cursor.seek(outer, across, operands, n, row, line);
      const int64_t from = k / pieces % blocks * loops.columns;
      const int64_t to =
          from + loops.columns < outer.size[across] ? from + loops.columns : outer.size[across];
      const int64_t begin = k % pieces * piece;
      const int64_t end = begin + piece < length ? begin + piece : length;
      for (int64_t start = from; start < to; start += width) {
        const int m = static_cast<int>(to - start < width ? to - start : width);
        for (int i = 0; i < n; ++i) sides[i].row = row[i];
        weft::detail::Cursor within;
        char* const target = row[0] + start * step[0] * operands[0].itemsize;
        if (begin > 0) {
          for (int i = 0; i < n; ++i) at[i] = row[i];
          within.seek(inner, inner.rank, inside, n, at, begin);
          for (int i = 0; i < n; ++i) sides[i].row = at[i];
        }
        loops.begin_columns(context, memory);
        for (int64_t j = begin; j < end;) {
          const int64_t whole = end - j < group ? end - j : group;
          const int64_t rows = direct ? whole : 1;
          block.load(start, m, at);
          loops.add_rows(context, at + 1, step + 1, skip + 1, m, rows, j, memory);
          for (int i = 0; i < n; ++i) at[i] = sides[i].row;
          if (direct) {
            for (int i = 0; i < n; ++i) sides[i].row += rows * skip[i];
          } else {
            within.next(inner, inner.rank, inside, n, at);
            for (int i = 0; i < n; ++i) sides[i].row = at[i];
          }
          j += rows;
        }
        char* const out =
            pieces > 1 ? states + (k % pieces * outer.count() + line * outer.size[across] + start) *
                                      loops.state_bytes
                       : results;
        loops.end_columns(context, memory, m, out);
        if (pieces > 1) continue;
        for (int c = 0; c < m; ++c) {
          loops.finish(context, results + c * loops.state_bytes, 1, 1,
                       target + c * step[0] * operands[0].itemsize);
        }
      }
    }
  }
};

}  // namespace weft::cpu::detail
