// Grid: the argument of element-wise kernels, filled in by functions without templates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "weft/cuda/memory.hpp"
#include "weft/eval/program/name.hpp"
#include "weft/eval/program/plan.hpp"
#include "weft/eval/rows/sharing.hpp"

namespace weft::on_cuda {

/// Threads per block of element-wise kernels.
inline constexpr int block_threads = 256;

/// Division by a number known before the launch (Granlund and Montgomery 1994), below 2^31.
struct FastDivmod {
  unsigned divisor = 1;
  unsigned multiplier = 0;
  unsigned shift = 0;

  FastDivmod() = default;
  /// 0 counts as 1: an empty axis has no coordinates to divide.
  explicit FastDivmod(unsigned d) : divisor(d > 0 ? d : 1) {
    if (divisor > 1) shift = 32U - static_cast<unsigned>(__builtin_clz(divisor - 1));
    const unsigned long long over = (1ULL << shift) - divisor;
    multiplier = static_cast<unsigned>(over == 0 ? 1 : (over << 32) / divisor + 1);
  }
  WEFT_HD unsigned divide(unsigned n) const {
#if defined(__CUDA_ARCH__)
    return (__umulhi(n, multiplier) + n) >> shift;
#else
    return (static_cast<unsigned>(std::uint64_t{n} * multiplier >> 32) + n) >> shift;
#endif
  }
};

/// An operand that is contiguous along another axis than the target, which a block transposes in
/// shared memory (cuda/elementwise/transpose_tile.hpp). It moves in words of one element, or of
/// several that make up 4 bytes.
struct TransposedOperand {
  int operand = -1;  // -1 for none
  int word = 0;      // bytes
  int pack = 0;      // elements in a word
  int shift = 0;     // log2 of the words of a tile's column
  int pitch = 0;     // words between columns in shared memory
  int lane = 0;      // strides in words
  int row = 0;
  bool whole_columns = false;  // are contiguous in memory
};

/// At most two operands are transposed; the rows of a tile are the dimension next to the innermost.
struct Tiling {
  FastDivmod across;  // tiles in a row of tiles
  FastDivmod down;    // rows of tiles
  int width = 0;      // columns of a tile; 0 if no operand is transposed
  TransposedOperand transposed[2];
};

/// The loops of an element-wise kernel. Each thread computes as many neighbours of the innermost
/// dimension as its vectors have lanes.
struct ElementwiseLoops {
  unsigned items = 0;        // threads with work
  int inner = 1;             // elements of the innermost dimension
  int head = 0;              // misalignment of the first row, in elements;
  int head_mask = 0;         // a row that starts at an offset has (head + offset) & head_mask
  int passes = 1;            // vectors per thread
  int outer = 0;             // dimensions but the innermost
  int rows_shift = 0;        // aligned: log2 of the rows per thread
  unsigned rows = 1;         // in the first dimension but the innermost
  unsigned row_step = 0;     // from one of a thread's to the next
  unsigned row_shift = 0;    // after 1 << row_shift first rows of threads come
  unsigned row_skip = 0;     // so many rows that are not the first
  bool slices = false;       // gathers along an axis read one slice for all lanes
  std::uint64_t apart = 0;   // aligned: bit i: operand i is read element by element
  unsigned row_inverse = 0;  // found rows: of `inner`, times 2^32, rounded up
  FastDivmod row_items;      // vectors of a row
  FastDivmod row_elements;   // `inner`
  FastDivmod size[max_rank - 1];
  Tiling tiling;
  weft::detail::SharedValues shared;  // which parts of the program have one value
};

/// The argument of an element-wise kernel over N operands, targets first.
template <int N>
struct Grid : ElementwiseLoops {
  char* data[N];
  int transposed[N];            // an operand's place in shared memory, or -1
  int lane[N];                  // strides of the innermost dimension
  int stride[N][max_rank - 1];  // of the others, innermost first; then at `jump`, place_jumps'
};

/// Where vectors cross the ends of rows: the place, behind an operand's strides, of what is to be
/// added to its offsets from there on. They have at most this many dimensions but the innermost.
inline constexpr int jump = max_rank - 2;

#if defined(__CUDACC__)
/// Sets each operand's offset to a row's; rows are counted over all dimensions but the innermost.
/// If it `Spreads`, they are the first ones of threads that compute several. Returns where the row
/// is in the first dimension. Statements of one or two dimensions take no branch.
template <bool Spreads = false, int N>
__device__ __forceinline__ unsigned go_to_row(const Grid<N>& grid, unsigned row, int (&offset)[N]) {
  unsigned next = grid.outer > 1 ? grid.size[0].divide(row) : 0;
  unsigned first = row - next * grid.size[0].divisor;
  if constexpr (Spreads) first += (first >> grid.row_shift) * grid.row_skip;
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] = static_cast<int>(first) * grid.stride[i][0];
#pragma unroll 1
  for (int d = 1; d < grid.outer; ++d) {
    row = next;
    next = d + 1 < grid.outer ? grid.size[d].divide(row) : 0;
    const int index = static_cast<int>(row - next * grid.size[d].divisor);
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += index * grid.stride[i][d];
  }
  return first;
}
#endif

/// The operands, as bits, that decide whether an element-wise kernel's gathers read whole slices:
/// the indices are one element for all lanes of a thread, and the offsets are consecutive.
struct RowOperands {
  int lanes = 0;  // of the aligned kernel, if they differ from the general one's
  std::uint64_t indices = 0;
  std::uint64_t offsets = 0;
};

namespace detail {

using weft::detail::Loops;
using weft::detail::Name;
using weft::detail::Operand;

/// The least power of two that is at least n.
inline unsigned power_of_two(int64_t n) {
  unsigned p = 1;
  while (p < n) p *= 2;
  return p;
}

/// Kernels count with 32 bits; larger work is split.
inline constexpr int64_t most_elements = int64_t{1} << 30;

WEFT_OUTLINED inline bool fits(const Loops& loops, const Operand* operands, int n) {
  if (loops.count() > most_elements) return false;
  for (int i = 0; i < n; ++i) {
    int64_t reach = 0;
    for (int d = 0; d < loops.rank; ++d) {
      const int64_t stride = operands[i].stride[d];
      reach += (stride < 0 ? -stride : stride) * (loops.size[d] - 1);
    }
    if (reach > INT32_MAX - 64) return false;
  }
  return true;
}

/// Calls f(loops) for pieces that fit in 32 bits, split along the outermost dimensions.
template <class F>
void in_pieces(const Loops& loops, Operand* operands, int n, const F& f) {
  if (fits(loops, operands, n)) return f(loops);
  int axis = 0;
  while (loops.size[axis] == 1) ++axis;
  Loops first = loops;
  Loops second = loops;
  first.size[axis] = (loops.size[axis] / 2 + 63) / 64 * 64;
  if (first.size[axis] >= loops.size[axis]) first.size[axis] = loops.size[axis] / 2;
  second.size[axis] -= first.size[axis];
  in_pieces(first, operands, n, f);
  for (int i = 0; i < n; ++i) {
    operands[i].data += first.size[axis] * operands[i].stride[axis] * operands[i].itemsize;
  }
  in_pieces(second, operands, n, f);
  for (int i = 0; i < n; ++i) {
    operands[i].data -= first.size[axis] * operands[i].stride[axis] * operands[i].itemsize;
  }
}

/// An address in elements. A division takes the host as long as planning an operand.
inline std::uintptr_t elements_before(std::uintptr_t address, int itemsize) {
  const auto bytes = static_cast<unsigned>(itemsize);
  return (bytes & (bytes - 1)) == 0 ? address >> __builtin_ctz(bytes) : address / bytes;
}

/// Divides the target's rows into vectors of `lanes`, a power of two.
WEFT_OUTLINED inline void plan_row_items(const Loops& loops, const Operand& target, int lanes,
                                         ElementwiseLoops& out) {
  out.outer = loops.rank > 0 ? loops.rank - 1 : 0;
  out.inner = loops.rank > 0 ? static_cast<int>(loops.size[out.outer]) : 1;
  out.head = 0;
  out.head_mask = 0;
  int most = 0;
  if (loops.rank > 0 && target.stride[out.outer] == 1 && target.itemsize > 0) {
    out.head_mask = lanes - 1;
    out.head = static_cast<int>(
        elements_before(reinterpret_cast<std::uintptr_t>(target.data), target.itemsize) &
        static_cast<unsigned>(out.head_mask));
    most = out.head;
    for (int d = 0; d < out.outer; ++d) {
      if ((target.stride[d] & out.head_mask) != 0) most = lanes - 1;
    }
  }
  const unsigned items_a_row = static_cast<unsigned>(out.inner + most + lanes - 1) >>
                               __builtin_ctz(static_cast<unsigned>(lanes));
  out.row_items = FastDivmod(items_a_row);
  out.row_elements = FastDivmod(static_cast<unsigned>(out.inner));
  unsigned rows = 1;
  for (int d = 0; d < out.outer; ++d) {
    out.size[d] = FastDivmod(static_cast<unsigned>(loops.size[out.outer - 1 - d]));
    rows *= static_cast<unsigned>(loops.size[out.outer - 1 - d]);
  }
  out.items = rows * items_a_row;
}

/// Fills in a grid's addresses and strides.
WEFT_OUTLINED inline void plan_operands(const Loops& loops, const Operand* operands, int n,
                                        char** data, int* lane, int (*stride)[max_rank - 1]) {
  const int last = loops.rank - 1;
  for (int i = 0; i < n; ++i) {
    data[i] = operands[i].data;
    lane[i] = last < 0 ? 0 : static_cast<int>(operands[i].stride[last]);
    stride[i][0] = 0;
    for (int d = 0; d < last; ++d) {
      stride[i][d] = static_cast<int>(operands[i].stride[last - 1 - d]);
    }
  }
}

/// Fills in what to add to operands' offsets beyond the end of a row, where the next one begins.
inline void place_jumps(const Loops& loops, const Operand* operands, int n,
                        int (*stride)[max_rank - 1]) {
  const int last = loops.rank - 1;
  for (int i = 0; i < n && last > 0; ++i) {
    const int64_t* along = operands[i].stride;
    stride[i][jump] = static_cast<int>(along[last - 1] - loops.size[last] * along[last]);
  }
}

/// Whether gathers along an axis read one slice for all lanes of a thread.
inline bool names_slices(const Loops& loops, const Operand* operands, int n,
                         const RowOperands& rows) {
  const int last = loops.rank - 1;
  for (int i = 0; i < n && last >= 0; ++i) {
    if ((rows.indices >> i & 1U) != 0 && operands[i].stride[last] != 0) return false;
    if ((rows.offsets >> i & 1U) != 0 && operands[i].stride[last] != 1) return false;
  }
  return last >= 0;
}

/// True when each thread's vector of each target is full, contiguous and aligned, and gathers along
/// an axis read slices. Sets bits in `apart` for the operands whose vectors are neither that nor
/// one element. `Sweep`: targets may be among them, or null.
template <bool Sweep = false>
inline bool is_aligned(const Loops& loops, const Operand* operands, int n, int targets, int lanes,
                       const RowOperands& rows, std::uint64_t& apart) {
  const int last = loops.rank - 1;
  const int within = lanes - 1;  // lanes are a power of two
  if (last < 0 || (loops.size[last] & within) != 0) return false;
  if (!names_slices(loops, operands, n, rows)) return false;
  apart = 0;
  for (int i = 0; i < n; ++i) {
    const Operand& x = operands[i];
    if (x.gathered) continue;  // positions are computed, not loaded
    if (x.itemsize == 0) return false;
    if (i >= targets && x.stride[last] == 0) continue;
    if (Sweep && x.data == nullptr) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(x.data);
    const auto bytes = static_cast<std::uintptr_t>(x.itemsize) * static_cast<unsigned>(lanes);
    bool whole = x.stride[last] == 1 &&
                 ((bytes & (bytes - 1)) == 0 ? address & (bytes - 1) : address % bytes) == 0;
    for (int d = 0; d < last; ++d) whole = whole && (x.stride[d] & within) == 0;
    if (whole) continue;
    if ((i < targets && !Sweep) || x.itemsize < 4) return false;
    apart |= std::uint64_t{1} << i;
  }
  return true;
}

/// True when the targets are contiguous as a whole and all their vectors full and aligned, although
/// `lanes` does not divide a row, so that a vector may cross into the next one: not beyond the last
/// along the first dimension but the innermost. Sets bits in `apart` for the operands that differ
/// from the targets then, and from row to row.
WEFT_OUTLINED inline bool is_flat(const Loops& loops, const Operand* operands, int n, int targets,
                                  int lanes, std::uint64_t& apart) {
  const int last = loops.rank - 1;
  if (last < 1 || last > jump || loops.size[last] < lanes) return false;
  if (loops.size[last] * loops.size[last - 1] % lanes != 0) return false;
  apart = 0;
  for (int i = 0; i < n; ++i) {
    const Operand& x = operands[i];
    if (x.gathered) continue;
    if (x.itemsize == 0) return false;
    const auto bytes = static_cast<std::uintptr_t>(x.itemsize) * static_cast<unsigned>(lanes);
    bool whole = reinterpret_cast<std::uintptr_t>(x.data) % bytes == 0;
    bool one = i >= targets;
    int64_t below = 1;
    for (int d = last; d >= 0; --d) {
      whole = whole && x.stride[d] == below;
      one = one && x.stride[d] == 0;
      below *= loops.size[d];
    }
    if (whole || one) continue;
    if (i < targets || x.itemsize < 4) return false;
    apart |= std::uint64_t{1} << i;
  }
  return true;
}

/// Orders the stream after the work of other streams on the operands; the targets come first.
WEFT_OUTLINED inline void order(const Operand* operands, int n, const Stream& stream,
                                int targets = 1) {
  for (int i = targets; i < n; ++i) {
    if (operands[i].storage != nullptr) order_read(operands[i].storage, stream);
  }
  for (int i = 0; i < targets; ++i) {
    if (operands[i].storage != nullptr) order_write(operands[i].storage, stream);
  }
}

}  // namespace detail
}  // namespace weft::on_cuda
