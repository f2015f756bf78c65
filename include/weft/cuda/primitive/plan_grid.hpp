// How the grid of an element-wise kernel is filled in: pieces, vectors, strides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/grid.hpp"

namespace weft::on_cuda {

/// The operands, as bits, that decide whether an element-wise kernel's gathers read whole slices:
/// the indices are one element for all lanes of a thread, and the offsets are consecutive.
struct RowOperands {
  int lanes = 0;  // of the aligned kernel, if they differ from the general one's
  std::uint64_t indices = 0;
  std::uint64_t offsets = 0;
  std::uint64_t positions = 0;  // which have no memory, and may lie in any way
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
  if (out.outer > 0) out.rows = static_cast<unsigned>(loops.size[out.outer - 1]);
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

/// Bit j for each multiple j of `inner`.
inline unsigned row_ends(int64_t inner) {
  unsigned ends = 0;
  for (int64_t j = 0; j < 32; j += inner) ends |= 1U << static_cast<unsigned>(j);
  return ends;
}

/// Fills in the distance from an operand's last element of a row to the next row's first.
inline void place_jumps(const Loops& loops, const Operand* operands, int n,
                        int (*stride)[max_rank - 1]) {
  const int last = loops.rank - 1;
  for (int i = 0; i < n && last > 0; ++i) {
    const int64_t* along = operands[i].stride;
    stride[i][jump] = static_cast<int>(along[last - 1] - (loops.size[last] - 1) * along[last]);
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
    // Positions are computed, not loaded.
    if (x.gathered || (rows.positions >> i & 1U) != 0) continue;
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
/// `lanes` does not divide a row, so that a vector may cross into the next ones: not beyond the
/// last along the first dimension but the innermost. Sets bits in `apart` for the operands that
/// differ from the targets then, and from row to row: `positions`, which have no memory, and others
/// of least_apart bytes or more.
WEFT_OUTLINED inline bool is_flat(const Loops& loops, const Operand* operands, int n, int targets,
                                  int lanes, int least_apart, std::uint64_t positions,
                                  std::uint64_t& apart) {
  const int last = loops.rank - 1;
  if (last < 1 || last > jump) return false;
  if (loops.size[last] * loops.size[last - 1] % lanes != 0) return false;
  apart = 0;
  for (int i = 0; i < n; ++i) {
    const Operand& x = operands[i];
    if (x.gathered) continue;
    const bool computed = (positions >> i & 1U) != 0;
    if (x.itemsize == 0 && !computed) return false;
    const auto bytes = static_cast<std::uintptr_t>(x.itemsize) * static_cast<unsigned>(lanes);
    bool whole = computed || reinterpret_cast<std::uintptr_t>(x.data) % bytes == 0;
    bool one = i >= targets;
    int64_t below = 1;
    for (int d = last; d >= 0; --d) {
      whole = whole && x.stride[d] == below;
      one = one && x.stride[d] == 0;
      below *= loops.size[d];
    }
    if (whole || one) continue;
    if (i < targets || (x.itemsize < least_apart && !computed)) return false;
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
