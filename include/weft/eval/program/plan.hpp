// Plan: the loops that an evaluation runs, with dimensions ordered, merged and cut.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "weft/core/axes.hpp"
#include "weft/core/broadcast.hpp"
#include "weft/tensor/storage.hpp"

namespace weft::detail {

/// An operand or target of an evaluation, without its type.
struct Operand {
  char* data = nullptr;
  int itemsize = 0;  // Position operands count elements as bytes
  Storage* storage = nullptr;
  StorageHandle keep;  // a temporary owned by this evaluation
  int gathered = 0;    // bytes of an element where these are positions, at which `storage` is read
  const char* reached = nullptr;  // where gathered: the first byte that may be read,
  int64_t reached_bytes = 0;      // and how many
  const void* opaque = nullptr;   // the node whose value it holds or stands for, and whether
  bool (*same)(const void*, const void*) = nullptr;  // another one of its type has the same
  /// Set where the value of `opaque` is not there yet: has it evaluated, or, if the row program
  /// reads whole rows of a tensor that indices pick, has these found.
  void (*settle)(Operand&, bool find_rows) = nullptr;
  int row_rank = 0;               // axes of such a row
  const int64_t* rows = nullptr;  // found rows: the distance of each from `data`, in bytes
  bool moved = false;  // read at other coordinates than the target's, even if the shapes are equal
  int rank = 0;
  int64_t size[max_rank];    // as the tensor has them
  int64_t stride[max_rank];  // before planning as the tensor's, then along the plan's dimensions

  WEFT_OUTLINED void set(const void* at, std::size_t bytes_each, const Shape& shape,
                         const Strides& strides, Storage* owner) {
    become(at, bytes_each, shape, strides, owner);
  }
  /// The same, inlined.
  WEFT_ALWAYS_INLINE void become(const void* at, std::size_t bytes_each, const Shape& shape,
                                 const Strides& strides, Storage* owner) {
    data = static_cast<char*>(const_cast<void*>(at));
    itemsize = static_cast<int>(bytes_each);
    storage = owner;
    rank = shape.rank();
    for (int i = 0; i < rank; ++i) {
      size[i] = shape[i];
      stride[i] = strides[i];
    }
  }

  /// Whether it has that shape itself.
  bool has_shape(const Shape& shape) const {
    bool all = rank == shape.rank();
    for (int i = 0; all && i < rank; ++i) all = size[i] == shape[i];
    return all;
  }

  /// The strides along the dimensions of `shape`, to which this operand broadcasts.
  WEFT_OUTLINED void broadcast_to(const Shape& shape) {
    const int shift = shape.rank() - rank;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      const bool stretched = i < shift || (size[i - shift] == 1 && shape[i] != 1);
      stride[i] = stretched ? 0 : stride[i - shift];
    }
  }
};

/// Loops over some dimensions, outermost first; the operands hold the strides that belong to them.
struct Loops {
  int rank = 0;
  int64_t size[max_rank] = {};

  int64_t count() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= size[i];
    return n;
  }
};

inline Loops loops_over(const Shape& shape) {
  Loops loops{shape.rank(), {}};
  for (int i = 0; i < loops.rank; ++i) loops.size[i] = shape[i];
  return loops;
}

/// A position in Loops: the coordinates, and each operand's address there.
struct Cursor {
  int64_t index[max_rank] = {};

  /// Moves to the next coordinate of the first `rank` dimensions, addresses included.
  WEFT_OUTLINED void next(const Loops& loops, int rank, const Operand* operands, int n, char** at) {
    for (int d = rank - 1; d >= 0; --d) {
      const bool wraps = ++index[d] == loops.size[d];
      const int64_t steps = wraps ? 1 - loops.size[d] : 1;
      for (int i = 0; i < n; ++i) at[i] += steps * operands[i].stride[d] * operands[i].itemsize;
      if (!wraps) return;
      index[d] = 0;
    }
  }
  /// Moves `steps` along the last of `rank` dimensions, without leaving it.
  void skip(int rank, const Operand* operands, int n, char** at, int64_t steps) {
    index[rank - 1] += steps;
    for (int i = 0; i < n; ++i)
      at[i] += steps * operands[i].stride[rank - 1] * operands[i].itemsize;
  }
  /// Moves from the start to linear position `linear` of the first `rank` dimensions.
  WEFT_OUTLINED void seek(const Loops& loops, int rank, const Operand* operands, int n, char** at,
                          int64_t linear) {
    for (int d = rank - 1; d >= 0; --d) {
      index[d] = linear % loops.size[d];
      linear /= loops.size[d];
      for (int i = 0; i < n; ++i) at[i] += index[d] * operands[i].stride[d] * operands[i].itemsize;
    }
  }
};

inline void swap_dimensions(Loops& loops, Operand* operands, int n, int a, int b) {
  std::swap(loops.size[a], loops.size[b]);
  for (int i = 0; i < n; ++i) std::swap(operands[i].stride[a], operands[i].stride[b]);
}

/// The operands of a reduction as its inner loops walk them: strides `skip` to skip + rank - 1.
inline void inner_operands(const Operand* operands, int n, int skip, int rank, Operand* inside) {
  for (int i = 0; i < n; ++i) {
    inside[i].data = operands[i].data;
    inside[i].itemsize = operands[i].itemsize;
    for (int d = 0; d < rank; ++d) inside[i].stride[d] = operands[i].stride[skip + d];
  }
}

/// Orders dimensions by the first operand's strides, makes these positive, drops dimensions of size
/// 1, and merges neighbours that every operand traverses as one; loops over no elements become one
/// of size 0. `keep_order` preserves order and direction (for positions).
WEFT_OUTLINED inline void simplify(Loops& loops, Operand* operands, int n,
                                   bool keep_order = false) {
  if (loops.count() == 0) {
    for (int i = 0; i < n; ++i) operands[i].stride[0] = operands[i].stride[loops.rank - 1];
    loops = {1, {}};
    return;
  }
  int rank = 0;
  for (int d = 0; d < loops.rank; ++d) {
    if (loops.size[d] == 1) continue;
    loops.size[rank] = loops.size[d];
    for (int i = 0; i < n && rank < d; ++i) operands[i].stride[rank] = operands[i].stride[d];
    ++rank;
  }
  loops.rank = rank;
  if (!keep_order) {
    Operand& target = operands[0];
    for (int d = 0; d < rank; ++d) {
      if (target.stride[d] >= 0) continue;
      for (int i = 0; i < n; ++i) {
        operands[i].data += (loops.size[d] - 1) * operands[i].stride[d] * operands[i].itemsize;
        operands[i].stride[d] = -operands[i].stride[d];
      }
    }
    for (int d = 1; d < rank; ++d) {
      for (int e = d; e > 0 && target.stride[e - 1] < target.stride[e]; --e) {
        swap_dimensions(loops, operands, n, e - 1, e);
      }
    }
  }
  int last = 0;
  for (int d = 1; d < rank; ++d) {
    bool merges = true;
    for (int i = 0; i < n && merges; ++i) {
      merges = operands[i].stride[last] == operands[i].stride[d] * loops.size[d];
    }
    if (!merges) ++last;
    loops.size[last] = merges ? loops.size[last] * loops.size[d] : loops.size[d];
    for (int i = 0; i < n; ++i) operands[i].stride[last] = operands[i].stride[d];
  }
  if (rank > 0) loops.rank = last + 1;
}

/// Broadcasts all operands to `shape`: sets the strides along its dimensions.
WEFT_OUTLINED inline void broadcast_operands(Operand* operands, int n, const Shape& shape) {
  for (int i = 0; i < n; ++i) operands[i].broadcast_to(shape);
}

/// Prepares the operands of a reduction over `shape`: their strides become those along the kept
/// axes, then those along the reduced ones, along which the target does not move.
WEFT_OUTLINED inline void split_axes(const Shape& shape, const ReducedAxes& axes, Operand* operands,
                                     int n, Shape& kept, Shape& reduced) {
  for (int i = 0; i < shape.rank(); ++i) {
    (axes.reduces(i) ? reduced : kept).push_back(shape[i]);
  }
  for (int x = 0; x < n; ++x) {
    if (x > 0) operands[x].broadcast_to(shape);
    int64_t strides[max_rank] = {};
    for (int i = 0, at = 0, k = 0, r = kept.rank(); i < shape.rank(); ++i) {
      const bool gone = axes.reduces(i);
      int64_t& stride = strides[gone ? r++ : k++];
      if (x > 0) {
        stride = operands[x].stride[i];
      } else {
        stride = gone ? 0 : operands[x].stride[at];
        at += gone && !axes.keep ? 0 : 1;
      }
    }
    for (int i = 0; i < shape.rank(); ++i) operands[x].stride[i] = strides[i];
  }
}

}  // namespace weft::detail
