// Overlap: whether operands share memory, so that one must be read before another is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/plan.hpp"

namespace weft::detail {

/// The first byte, and one past the last, that an operand touches when read at all of `shape`.
WEFT_OUTLINED inline void byte_range(const Operand& x, const char*& first, const char*& last) {
  if (x.gathered) {
    first = x.reached;
    last = x.reached + x.reached_bytes;
    return;
  }
  int64_t low = 0;
  int64_t high = 1;
  for (int i = 0; i < x.rank; ++i) {
    const int64_t reach = (x.size[i] - 1) * x.stride[i];
    (reach < 0 ? low : high) += reach;
    if (x.size[i] == 0) {
      low = high = 0;
      break;
    }
  }
  first = x.data + low * x.itemsize;
  last = x.data + high * x.itemsize;
}

/// True when the two are known to share no memory: different blocks that weft allocated.
inline bool are_apart(const Operand& a, const Operand& b) {
  return a.storage != b.storage && a.storage != nullptr && b.storage != nullptr &&
         !a.storage->borrowed && !b.storage->borrowed;
}

/// True when the memory ranges of the two overlap. Call before planning.
WEFT_OUTLINED inline bool overlap(const Operand& a, const Operand& b) {
  if (are_apart(a, b)) return false;
  const char* a0 = nullptr;
  const char* a1 = nullptr;
  const char* b0 = nullptr;
  const char* b1 = nullptr;
  byte_range(a, a0, a1);
  byte_range(b, b0, b1);
  return a0 < b1 && b0 < a1;
}

/// True when the two have the same shape and strides, and elements of one size.
WEFT_OUTLINED inline bool same_layout(const Operand& a, const Operand& b) {
  bool same = a.rank == b.rank && a.itemsize == b.itemsize;
  for (int i = 0; same && i < a.rank; ++i) {
    same = a.size[i] == b.size[i] && (a.size[i] == 1 || a.stride[i] == b.stride[i]);
  }
  return same;
}

/// Whether steps along the dimensions of `order` from `d` on (strides descending, not interleaved)
/// can lead `way` elements away within bounds.
[[gnu::cold]] inline bool reaches(const Operand& x, const int* order, int n, int d, int64_t way) {
  if (d == n) return way == 0;
  const int64_t size = x.size[order[d]];
  const int64_t stride = x.stride[order[d]] < 0 ? -x.stride[order[d]] : x.stride[order[d]];
  for (int64_t k = way / stride - 1; k <= way / stride + 1; ++k) {
    if (k < size && -k < size && reaches(x, order, n, d + 1, way - k * stride)) return true;
  }
  return false;
}

/// True when two operands of one layout provably share no element. Call before planning.
WEFT_OUTLINED inline bool disjoint(const Operand& a, const Operand& b) {
  if (!same_layout(a, b) || a.itemsize == 0 || (a.data - b.data) % a.itemsize != 0) return false;
  int order[max_rank];
  int n = 0;
  const auto length = [&](int d) { return a.stride[d] < 0 ? -a.stride[d] : a.stride[d]; };
  for (int d = 0; d < a.rank; ++d) {
    if (a.size[d] == 1) continue;
    int at = n++;
    for (; at > 0 && length(order[at - 1]) < length(d); --at) order[at] = order[at - 1];
    order[at] = d;
  }
  int64_t reach = 0;
  for (int k = n - 1; k >= 0; --k) {
    if (length(order[k]) <= reach) return false;
    reach += (a.size[order[k]] - 1) * length(order[k]);
  }
  return !reaches(a, order, n, 0, (b.data - a.data) / a.itemsize);
}

/// True when x, broadcast to the target's shape, has its strides and element size.
WEFT_OUTLINED inline bool same_places(const Operand& target, const Operand& x) {
  const int shift = target.rank - x.rank;
  bool same = shift >= 0 && target.itemsize == x.itemsize;
  for (int i = 0; same && i < target.rank; ++i) {
    same = target.size[i] == 1 || (i >= shift && x.size[i - shift] == target.size[i] &&
                                   x.stride[i - shift] == target.stride[i]);
  }
  return same;
}

/// True when writing the target could overwrite an element of the operand before it is read: they
/// share memory other than element by element at the same index. Call before planning.
WEFT_OUTLINED inline bool conflicts(const Operand& target, const Operand& x) {
  if (x.storage == nullptr) return false;
  if (!x.moved && !x.gathered && target.data == x.data && same_places(target, x)) return false;
  return overlap(target, x) && (x.gathered || !disjoint(target, x));
}

/// True when operands[0], the target, must not be written while the others are read.
WEFT_OUTLINED inline bool any_conflict(const Operand* operands, int n, bool elementwise) {
  const Operand& target = operands[0];
  const Storage* const own = target.storage;
  const bool owned = own != nullptr && !own->borrowed;
  for (const Operand* x = operands + 1; x != operands + n; ++x) {
    const Storage* const other = x->storage;
    if (owned && other != own && other != nullptr && !other->borrowed) continue;  // are_apart
    if (elementwise ? conflicts(target, *x) : other != nullptr && overlap(target, *x)) return true;
  }
  return false;
}

}  // namespace weft::detail
