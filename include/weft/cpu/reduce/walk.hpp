// How reductions go through memory: by rows or by columns, in pieces that do not depend on threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the ways through memory are one class.

#include <vector>

#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/element_work.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/cpu/reduce/column_logsumexp.hpp"

namespace weft::cpu::detail {

/// Loops of no dimension become one of size 1.
WEFT_OUTLINED inline void pad(weft::detail::Loops& loops, weft::detail::Operand* operands, int n) {
  if (loops.rank > 0) return;
  loops.rank = 1;
  loops.size[0] = 1;
  for (int i = 0; i < n; ++i) operands[i].stride[0] = 0;
}

/// a / b of non-negative numbers, with a shortcut for 0, as it is for small work.
inline int64_t quotient(int64_t a, int64_t b) { return a < b ? 0 : a / b; }

/// A reduction of operands 1 to n - 1 over `inner`, for each place of `outer`.
struct ReduceWork {
  const RunLoops& run_loops;
  const ColumnLoops& column_loops;
  const void* reducer;
  ElementLoop* values;  // computes them, as the loop's only target; null where they are an operand,
  int in_place;         // of this number
  const void* programs;  // of `values`
  const weft::detail::Loops& outer;
  const weft::detail::Operand* operands;
  const weft::detail::Loops& inner;
  const weft::detail::Operand* inside;
  int n;
  const bool* computed;  // which operands behind the target are positions

  static constexpr int64_t elements_a_piece = 1 << 16;
  static constexpr int64_t rows_a_piece = 512;  // where there are few columns
  static constexpr int64_t most_rows = int64_t{1} << 26;
  static constexpr int64_t longest_line = 256;  // of those taken several at a time

  /// Whether results are adjacent and the elements of one far apart.
  bool columns_are_faster() const {
    if (outer.size[outer.rank - 1] < 8) return false;
    const int64_t length = inner.count();
    for (int i = 1; i < n; ++i) {
      const int64_t across = operands[i].stride[outer.rank - 1];
      const int64_t along = inside[i].stride[inner.rank - 1];
      if (across == 1 && ((along != 1 && along != 0) || length == 1)) return true;
    }
    return false;
  }

  template <class = void>  // as weft::lib holds it
  WEFT_OUTLINED void run() const {
    const int64_t outputs = outer.count();
    const int64_t length = inner.count();
    const bool across = columns_are_faster();
    const int64_t width = outer.size[outer.rank - 1];
    const int64_t columns = column_loops.columns;
    const int64_t blocks = across ? 1 + quotient(width - 1, columns) : width;
    const int64_t items = (outer.rank == 1 ? 1 : outputs / width) * blocks;
    // Where a long reduction is cut, and so the bits of its result, depends only on the shape.
    const bool lines = !across && inner.rank > 1;  // a piece is some of the rows' lines
    const int64_t size = inner.size[inner.rank - 1];
    int64_t piece = across ? (items < 16 ? rows_a_piece : most_rows) : elements_a_piece;
    if (lines) piece = piece > size ? piece / size : 1;
    const int64_t whole = lines && length > 0 ? length / size : length;
    const int64_t pieces = whole > piece ? (whole + piece - 1) / piece : 1;
    const int64_t bytes = pieces * outputs * run_loops.state_bytes;
    alignas(16) char small[256];
    std::vector<char> many(pieces > 1 && bytes > 256 ? static_cast<std::size_t>(bytes) : 0);
    char* const states = pieces == 1 ? nullptr : many.empty() ? small : many.data();
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
      run_loops.finish(reducer, length, states + k * (across ? 1 : pieces) * run_loops.state_bytes,
                       pieces, step, out[0]);
      cursor.next(outer, outer.rank, operands, 1, out);
    }
  }

 private:
  /// Memory of a thread's part of the work.
  struct Memory {
    BlockOperand* blocked;
    char** row;
    char** line;
    char** at;
    int64_t* step;
    int64_t* skip;
    char* values;  // computed ones, or copies
  };

  /// Sets up the operands of a loop along `along`, with rows along `down`; then calls f(memory,
  /// block).
  template <class F>
  WEFT_ALWAYS_INLINE void with_memory(const weft::detail::Operand* along, int d,
                                      const weft::detail::Operand* down, int e, const F& f) const {
    const auto count = static_cast<std::size_t>(n);
    const bool copies = values != nullptr || (inner.rank > 1 && along == inside);
    const std::size_t bytes =
        copies ? static_cast<std::size_t>(run_size * run_loops.value_bytes) : 64;
    alignas(64) char scratch[Block::scratch_bytes];
    const Memory memory{static_cast<BlockOperand*>(__builtin_alloca(count * sizeof(BlockOperand))),
                        static_cast<char**>(__builtin_alloca(count * sizeof(char*))),
                        static_cast<char**>(__builtin_alloca(count * sizeof(char*))),
                        static_cast<char**>(__builtin_alloca(count * sizeof(char*))),
                        static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t))),
                        static_cast<int64_t*>(__builtin_alloca(count * sizeof(int64_t))),
                        static_cast<char*>(__builtin_alloca_with_align(bytes, 512))};
    for (int i = 0; i < n; ++i) {
      memory.step[i] = along[i].stride[d];
      memory.row[i] = operands[i].data;
      BlockOperand& x =
          *::new (memory.blocked + i) BlockOperand{nullptr, along[i].stride[d], along[i].itemsize};
      x.pitch = down[i].stride[e] * down[i].itemsize;
      x.direct = i == 0 || x.stride == 1 || computed[i - 1];
    }
    Block block(memory.blocked, n, 1, scratch);
    f(memory, block);
  }

  /// `rows` rows of m values from element `start` of the operands' rows: where, and how far apart.
  const char* load(const Memory& memory, Block& block, int64_t start, int64_t m, int64_t rows,
                   int64_t& pitch) const {
    block.load(start, m, memory.at, ~std::uint64_t{0}, rows, memory.skip);
    if (values == nullptr) {
      pitch = memory.skip[in_place];
      return memory.at[in_place];
    }
    pitch = m * run_loops.value_bytes;
    memory.at[0] = memory.values;
    memory.skip[0] = pitch;
    values(programs, memory.at, memory.step, memory.skip, rows, m);
    return memory.values;
  }

  /// `lines` lines of m values, one behind the other.
  WEFT_OUTLINED const char* load_lines(const Memory& memory, Block& block, int64_t m,
                                       int64_t lines) const {
    int64_t pitch = 0;
    const char* const from = load(memory, block, 0, m, lines, pitch);
    const int64_t bytes = m * run_loops.value_bytes;
    if (pitch == bytes) return from;
    for (int64_t l = 0; l < lines; ++l) {
      __builtin_memcpy(memory.values + l * bytes, from + l * pitch,
                       static_cast<std::size_t>(bytes));
    }
    return memory.values;
  }

  /// Pieces first to last - 1 of the outputs' rows; their states to `states` if there are several.
  WEFT_OUTLINED void by_rows(int64_t pieces, int64_t piece, int64_t first, int64_t last,
                             char* states) const {
    const int depth = inner.rank - 1;
    const int64_t size = inner.size[depth];
    const int across = outer.rank - 1;
    const weft::detail::Operand* const down = depth > 0 ? inside : operands;
    const auto rows = depth > 0 ? depth - 1 : across;
    with_memory(inside, depth, down, rows, [&](const Memory& memory, Block& block) {
      const int64_t longest = values == nullptr ? long_run_size : run_size;
      const int64_t together =
          pieces == 1 && depth == 0 && size > 0 && size <= longest && size <= block.length()
              ? (values == nullptr ? block.length() : min(block.length(), run_size)) / size
              : 0;
      if (together > 0) {
        by_short_rows(memory, block, together, first, last);
      } else {
        const int64_t most = min(min(block.length(), block.run_length()), longest);
        by_long_rows(memory, block, most, pieces, piece, first, last, states);
      }
    });
  }
  static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

  /// Outputs first to last - 1, many at once.
  WEFT_OUTLINED void by_short_rows(const Memory& memory, Block& block, int64_t together,
                                   int64_t first, int64_t last) const {
    const int across = outer.rank - 1;
    const int64_t size = inner.size[0];
    weft::detail::Cursor cursor;
    if (first > 0) cursor.seek(outer, outer.rank, operands, n, memory.row, first);
    while (first < last) {
      const int64_t rows =
          min(min(outer.size[across] - cursor.index[across], last - first), together);
      for (int i = 0; i < n; ++i) memory.blocked[i].row = memory.row[i];
      int64_t pitch = 0;
      const char* const values_at = load(memory, block, 0, size, rows, pitch);
      run_loops.rows(reducer, values_at, pitch, rows, size, memory.row[0], memory.blocked[0].pitch);
      first += rows;
      if (first == last) return;
      cursor.skip(outer.rank, operands, n, memory.row, rows - 1);
      cursor.next(outer, outer.rank, operands, n, memory.row);
    }
  }

  WEFT_OUTLINED void by_long_rows(const Memory& memory, Block& block, int64_t most, int64_t pieces,
                                  int64_t piece, int64_t first, int64_t last, char* states) const {
    const int depth = inner.rank - 1;
    const int64_t length = inner.count();
    const int64_t size = inner.size[depth];
    const int64_t lines = length > 0 ? length / size : 0;
    // Short lines are taken several at a time.
    const int64_t room = min(block.length(), run_size);
    const int64_t beside = depth > 0 && size <= longest_line && size <= room ? room / size : 1;
    void* const running =
        __builtin_alloca_with_align(static_cast<std::size_t>(run_loops.bytes), 512);
    alignas(16) char state[64];
    weft::detail::Cursor cursor;
    if (first > 0) cursor.seek(outer, outer.rank, operands, n, memory.row, first / pieces);
    int64_t part = first % pieces;
    for (int64_t k = first; k < last; ++k) {
      run_loops.begin(reducer, running);
      for (int i = 0; i < n; ++i) memory.line[i] = memory.row[i];
      // A piece is a part of one line of elements, or several lines.
      const int64_t begin = depth == 0 ? part * piece : 0;
      const int64_t end = depth == 0 ? min(begin + piece, size) : size;
      const int64_t first_line = depth == 0 ? 0 : part * piece;
      const int64_t last_line = depth == 0 ? lines : min(first_line + piece, lines);
      weft::detail::Cursor within;
      if (first_line > 0) within.seek(inner, depth, inside, n, memory.line, first_line);
      for (int64_t l = first_line; l < last_line; ++l) {
        for (int i = 0; i < n; ++i) memory.blocked[i].row = memory.line[i];
        if (beside > 1) {
          const int64_t some =
              min(min(beside, last_line - l), inner.size[depth - 1] - within.index[depth - 1]);
          run_loops.add(reducer, load_lines(memory, block, size, some), some * size, l * size,
                        running);
          within.skip(depth, inside, n, memory.line, some - 1);
          within.next(inner, depth, inside, n, memory.line);
          l += some - 1;
          continue;
        }
        for (int64_t j = begin; j < end; j += most) {
          const int64_t m = min(end - j, most);
          int64_t pitch = 0;
          const char* const values_at = load(memory, block, j, m, 1, pitch);
          run_loops.add(reducer, values_at, m, l * size + j, running);
        }
        if (depth > 0) within.next(inner, depth, inside, n, memory.line);
      }
      char* const out = pieces > 1 ? states + k * run_loops.state_bytes : state;
      run_loops.end(running, out);
      if (pieces == 1) run_loops.finish(reducer, length, state, 1, 1, memory.row[0]);
      if (++part == pieces) {
        part = 0;
        cursor.next(outer, outer.rank, operands, n, memory.row);
      }
    }
  }

  /// Pieces first to last - 1 of blocks of neighbouring outputs, reduced side by side.
  WEFT_OUTLINED void by_columns(int64_t blocks, int64_t pieces, int64_t piece, int64_t first,
                                int64_t last, char* states) const {
    const int across = outer.rank - 1;
    const int along = inner.rank - 1;
    const int64_t length = inner.count();
    const int64_t columns = column_loops.columns;
    void* const running =
        __builtin_alloca_with_align(static_cast<std::size_t>(column_loops.bytes), 512);
    with_memory(operands, across, inside, along, [&](const Memory& memory, Block& block) {
      const int64_t out_pitch = operands[0].stride[across] * operands[0].itemsize;
      const int64_t width =
          min(min(block.length(), columns), values == nullptr ? columns : run_size);
      for (int64_t k = first; k < last; ++k) {
        for (int i = 0; i < n; ++i) memory.row[i] = operands[i].data;
        weft::detail::Cursor cursor;
        const int64_t output = quotient(k, pieces);
        const int64_t line = quotient(output, blocks);
        if (line > 0) cursor.seek(outer, across, operands, n, memory.row, line);
        const int64_t from = (output - line * blocks) * columns;
        const int64_t to = min(from + columns, outer.size[across]);
        const int64_t part = k - output * pieces;
        const int64_t begin = part * piece;
        const int64_t end = min(begin + piece, length);
        for (int64_t start = from; start < to; start += width) {
          const int64_t m = min(to - start, width);
          const int64_t most = min(block.length(), values == nullptr ? length * m : run_size);
          const int64_t fit = most >= length * m ? length : most / m;
          for (int i = 0; i < n; ++i) memory.line[i] = memory.row[i];
          weft::detail::Cursor within;
          if (begin > 0) within.seek(inner, inner.rank, inside, n, memory.line, begin);
          column_loops.begin(reducer, running);
          for (int64_t j = begin; j < end;) {
            const int64_t left = min(end - j, inner.size[along] - within.index[along]);
            const int64_t rows = min(left, fit > 0 ? fit : 1);
            for (int i = 0; i < n; ++i) memory.blocked[i].row = memory.line[i];
            int64_t pitch = 0;
            const char* const values_at = load(memory, block, start, m, rows, pitch);
            column_loops.add(reducer, values_at, pitch, rows, m, j, running);
            j += rows;
            if (j == end) break;
            within.skip(inner.rank, inside, n, memory.line, rows - 1);
            within.next(inner, inner.rank, inside, n, memory.line);
          }
          if (pieces > 1) {
            const int64_t at = part * outer.count() + line * outer.size[across] + start;
            column_loops.end(reducer, running, m, states + at * run_loops.state_bytes);
          } else {
            column_loops.finish(reducer, running, m, length, memory.row[0] + start * out_pitch,
                                out_pitch);
          }
        }
      }
    });
  }
};

}  // namespace weft::cpu::detail
