// Block: a run of elements whose operands are copied to unit stride, for vector loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/cpu/elementwise/copy.hpp"
#include "weft/cpu/elementwise/non_temporal.hpp"

namespace weft::cpu {

using std::int64_t;

/// to = value; for half types by their bits, since g++ does not vectorise loops that copy a class.
template <class T>
WEFT_INLINE void put(T& to, const T& value) {
  if constexpr (is_half<T>) {
    to.bits = value.bits;
  } else {
    to = value;
  }
}

/// Elements per block where some strides are not 1.
inline constexpr int block_size = 512;

/// One operand of a block: the location of its elements and, once they are copied to unit stride,
/// where the loop finds them.
struct BlockOperand {
  char* row = nullptr;  // the first element of the loop's row
  int64_t stride = 0;   // along the row
  int itemsize = 0;
  int64_t pitch = 0;   // bytes from one row to the next
  bool direct = true;  // read or written in place: at unit stride, or a position
  bool written = false;
  bool kept = false;               // written, but read first
  bool packed = false;             // in the buffer rows follow each other, equal ones too
  bool streams = false;            // not direct, and written by non-temporal stores at unit stride
  char* buffer = nullptr;          // for one that is not direct
  const char* repeated = nullptr;  // the element that fills the buffer
  int64_t filled = 0;              // how far
  int same = -1;                   // an earlier operand, read as well, that has these elements
};

/// The operands of one thread's loop. The copies live on the caller's stack.
class Block {
 public:
  static constexpr int scratch_bytes = 1 << 15;

  /// The first `targets` of the n operands are written. `scratch` has scratch_bytes.
  WEFT_OUTLINED Block(BlockOperand* operands, int n, int targets, char* scratch,
                      const Movers& copies = movers<detail::all_sizes>)
      : operands_(operands), movers_(copies), n_(n) {
    int64_t bytes = 0;
    for (int i = 0; i < n; ++i) {
      operands[i].written = i < targets;
      if (has_buffer(operands[i])) bytes += operands[i].itemsize;
    }
    if (bytes == 0) return;
    length_ = scratch_bytes / bytes;
    // Buffers are aligned to 16 bytes.
    if (length_ > 16) {
      length_ &= -16;
    } else {
      length_ = (scratch_bytes - 16 * n) / bytes;
    }
    for (int i = 0; i < n; ++i) {
      if (!has_buffer(operands[i])) continue;
      operands[i].buffer = scratch;
      scratch += (length_ * operands[i].itemsize + 15) & -16;
    }
  }

  /// The most elements that load() can take, in all rows together.
  int64_t length() const { return length_; }
  /// How much of a long row to load at a time: as much as stays in the L1 cache, or the whole row
  /// if nothing is copied.
  int64_t run_length() const {
    return length_ <= scratch_bytes && length_ > block_size ? block_size : length_;
  }

  /// Points at[i] to n elements, from element `start` of the row, of each operand with a bit in
  /// `used`; for `rows` rows, skip[i] bytes apart.
  void load(int64_t start, int64_t n, char** at, std::uint64_t used = ~std::uint64_t{0},
            int64_t rows = 1, int64_t* skip = nullptr) {
    if (n_ < 64) used &= (std::uint64_t{1} << n_) - 1;
    for (int i = 0; i < n_; ++i) {
      if (n_ <= 64) {  // the next used operand
        if (used == 0) return;
        i = __builtin_ctzll(used);
        used &= used - 1;
      } else if ((used >> (i & 63) & 1U) == 0) {
        continue;
      }
      BlockOperand& x = operands_[i];
      if (x.same >= 0) {
        at[i] = at[x.same];
        if (skip != nullptr) skip[i] = skip[x.same];
        continue;
      }
      char* const from = x.row + start * x.stride * x.itemsize;
      at[i] = x.direct ? from : x.buffer;
      const int64_t step = x.direct || (x.pitch == 0 && !x.packed) ? x.pitch : n * x.itemsize;
      if (skip != nullptr) skip[i] = step;
      if (x.direct || (x.written && !x.kept)) continue;
      if (x.packed && x.pitch == 0) {
        repeat(x, from, n, rows);
        continue;
      }
      const int64_t copies = x.pitch == 0 ? 1 : rows;
      if (turns(x, copies)) {
        movers_.transpose(from, x.stride, x.buffer, n, static_cast<int>(copies),
                          static_cast<int>(n), x.itemsize);
        continue;
      }
      if (x.stride == 1 && copies > 1) {
        detail::copy_rows(from, x.pitch, x.buffer, step, n * x.itemsize, copies);
        x.repeated = nullptr;
        continue;
      }
      for (int64_t r = 0; r < copies; ++r) {
        fill(x, from + r * x.pitch, x.buffer + r * step, n);
      }
    }
  }
  /// Writes the buffers that a loop filled to their destinations.
  WEFT_OUTLINED void store(int64_t start, int64_t n, int64_t rows = 1) {
    for (int i = 0; i < n_ && operands_[i].written; ++i) {
      const BlockOperand& x = operands_[i];
      if (x.direct) continue;
      char* const to = x.row + start * x.stride * x.itemsize;
      if (x.streams) {
        const int64_t bytes = n * x.itemsize;
        const int64_t together = x.pitch == bytes ? rows : 1;
        for (int64_t r = 0; r < rows; r += together) {
          detail::stream_bytes(to + r * x.pitch, x.buffer + r * bytes, together * bytes);
        }
        continue;
      }
      if (turns(x, rows)) {
        movers_.transpose(x.buffer, n, to, x.stride, static_cast<int>(n), static_cast<int>(rows),
                          x.itemsize);
        continue;
      }
      if (x.stride == 1 && x.pitch != 0) {
        const int64_t bytes = n * x.itemsize;
        detail::copy_rows(x.buffer, bytes, to, x.pitch, bytes, rows);
        continue;
      }
      for (int64_t r = 0; r < (x.pitch == 0 ? 1 : rows); ++r) {
        movers_.copy(x.buffer + r * n * x.itemsize, 1, to + r * x.pitch, x.stride,
                     x.stride == 0 ? 1 : n, x.itemsize);
      }
    }
  }

 private:
  static bool has_buffer(const BlockOperand& x) { return !x.direct && x.same < 0; }
  /// Whether rows are adjacent in memory, so that copying them together is faster.
  static bool turns(const BlockOperand& x, int64_t rows) {
    return rows >= 4 && x.pitch == x.itemsize && x.stride > 1 && detail::can_transpose(x.itemsize);
  }
  /// Fills the buffer with one row of n elements, again and again, unless it still holds them.
  WEFT_OUTLINED void repeat(BlockOperand& x, const char* from, int64_t n, int64_t rows) const {
    if (from == x.repeated && n * rows <= x.filled) return;
    x.repeated = from;
    x.filled = n * rows;
    if (x.stride == 0) return movers_.copy(from, 0, x.buffer, 1, n * rows, x.itemsize);
    movers_.copy(from, x.stride, x.buffer, 1, n, x.itemsize);
    const int64_t bytes = n * rows * x.itemsize;
    for (int64_t done = n * x.itemsize; done < bytes; done *= 2) {
      const int64_t more = done < bytes - done ? done : bytes - done;
      __builtin_memcpy(x.buffer + done, x.buffer, static_cast<std::size_t>(more));
    }
  }
  void fill(BlockOperand& x, const char* from, char* to, int64_t n) const {
    const bool repeats = x.stride == 0 && !x.written && to == x.buffer;
    if (repeats && from == x.repeated && n <= x.filled) return;
    movers_.copy(from, x.stride, to, 1, n, x.itemsize);
    x.repeated = repeats ? from : nullptr;
    x.filled = n;
  }

  BlockOperand* operands_;
  const Movers& movers_;
  int n_;
  int64_t length_ = INT64_MAX / 2;
};

}  // namespace weft::cpu
