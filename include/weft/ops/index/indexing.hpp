// Which elements integers name: along an axis, in place of an axis, or as positions in the whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/core/broadcast.hpp"
#include "weft/core/failure.hpp"
#include "weft/core/layout.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/elementwise/operand.hpp"

namespace weft {

/// How the indices of an operation check: negative ones count from the end, as in NumPy, but for
/// labels, which name classes.
struct IndexRange {
  long long size;
  Failure* failure;
  const char* operation;
  int ordinal;
  int labels = 0;  // a bool, but with no padding behind it: row programs compare ranges by bytes

  /// The index counted from the front; -1, and a report, where it is out of range.
  template <class I>
  WEFT_HD long long place(I index) const {
    long long i = static_cast<long long>(index);
    if constexpr (std::is_unsigned_v<I> && sizeof(I) == sizeof(i)) {
      if (i < 0) i = INT64_MAX;  // too large for a signed number, and for every axis
    }
    const long long place = i < 0 && labels == 0 ? i + size : i;
    if (place >= 0 && place < size) return place;
    report_failure(failure, operation, ordinal, i, labels != 0 ? 0 : -size, size - 1, labels != 0);
    return -1;
  }
};

/// How programs find an element of a tensor from the offset that the other axes give.
struct AlongAxis {
  IndexRange range;
  long long stride;

  /// Adds the index's distance to `offset`; false where it is out of range.
  template <class I>
  WEFT_HD bool find(long long& offset, I index) const {
    const long long i = range.place(index);
    offset += i * stride;
    return i >= 0;
  }
};
static_assert(std::has_unique_object_representations_v<AlongAxis>);

/// The same for row-major positions in a whole tensor, whose axes are merged where strides allow.
struct AtPosition {
  IndexRange range;
  int rank;
  long long size[max_rank];
  long long stride[max_rank];

  template <class I>
  WEFT_HD bool find(long long& offset, I index) const {
    long long i = range.place(index);
    if (i < 0) return false;
    for (int d = rank - 1; d > 0; --d) {
      offset += i % size[d] * stride[d];
      i /= size[d];
    }
    offset += i * stride[0];
    return true;
  }
};

/// How indices name elements.
enum class Indexing {
  whole,    ///< positions in the whole tensor, counted in row-major order
  instead,  ///< the axes of the indices stand in place of the indexed one
  along     ///< each index belongs to its own place along the other axes
};

namespace detail {

/// The shape of the elements that indices of a shape name; for `along` the other axes broadcast,
/// or are shorter than x's: their first elements. A number counts as a vector of one element.
WEFT_OUTLINED inline Shape indexed_shape(const char* operation, Indexing how, const Shape& x,
                                         int axis, const Shape& indices) {
  if (how == Indexing::whole) return indices;
  if (x.rank() == 0 && (how == Indexing::instead || indices.rank() < 2)) return indices;
  Shape out;
  if (how == Indexing::instead) {
    for (int i = 0; i < axis; ++i) out.push_back(x[i]);
    for (int64_t size : indices) out.push_back(size);
    for (int i = axis + 1; i < x.rank(); ++i) out.push_back(x[i]);
    return out;
  }
  bool fits = x.rank() == indices.rank();
  for (int i = 0; fits && i < x.rank(); ++i) {
    fits = i == axis || indices[i] <= x[i] || indices[i] == 1 || x[i] == 1;
    out.push_back(i == axis || x[i] == 1 || indices[i] != 1 ? indices[i] : x[i]);
  }
  if (!fits) {
    fail<ShapeError>(
        operation, "indices of shape ", indices, " along axis ", axis, " of ", x,
        ", expected the same rank, and along other axes at most x's size unless that is 1");
  }
  return out;
}

/// The strides, along the axes of indexed_shape, of the offset that indices do not give.
WEFT_OUTLINED inline Strides offset_strides(Indexing how, const Layout& x, int axis,
                                            int index_rank) {
  Strides out;
  if (how == Indexing::whole || x.rank() == 0) {
    for (int i = 0; i < index_rank; ++i) out.push_back(0);
    return out;
  }
  for (int i = 0; i < x.rank(); ++i) {
    if (i == axis) {
      for (int k = 0; k < (how == Indexing::instead ? index_rank : 1); ++k) out.push_back(0);
    } else {
      out.push_back(x.shape[i] == 1 ? 0 : x.strides[i]);
    }
  }
  return out;
}

inline AlongAxis finder(AlongAxis*, const IndexRange& range, const Layout& x, int axis) {
  return {range, x.rank() == 0 ? 0 : x.strides[axis]};
}
WEFT_OUTLINED inline AtPosition finder(AtPosition*, const IndexRange& range, const Layout& x, int) {
  AtPosition out{range, 0, {}, {}};
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape[i] == 1) continue;
    const int last = out.rank - 1;
    if (last >= 0 && out.stride[last] == x.shape[i] * x.strides[i]) {
      out.size[last] *= x.shape[i];
      out.stride[last] = x.strides[i];
    } else {
      out.size[out.rank] = x.shape[i];
      out.stride[out.rank++] = x.strides[i];
    }
  }
  return out;
}

/// The size that indices are checked against.
inline int64_t indexed_size(Indexing how, const Shape& x, int axis) {
  return how == Indexing::whole || x.rank() == 0 ? x.size() : x[axis];
}

/// The one axis of an operation, counted from the front.
inline int one_axis(const char* operation, const Axes& axes, int rank) {
  if (axes.rank() != 1) fail<IndexError>(operation, "axes ", axes, ", expected one axis");
  return normalize_axis(operation, axes[0], rank);
}

/// Stands for the operation where OperandCheck looks at its operands.
struct AnyOperands {
  using domain = op::Any;
  static constexpr bool mixes_types = true;
};

/// Whether I indexes X; if not, one compile error that says why.
template <class X, class I>
constexpr bool can_index() {
  if constexpr (OperandCheck<AnyOperands, X, I>::report()) {
    static_assert(is_integer<element_of_t<I>>,
                  "weft: indices are integers: write cast<std::int64_t>(i); for a condition there "
                  "is where(condition, x, y)");
    static_assert(!std::is_same_v<typename X::device_type, AnyDevice>,
                  "weft: an indexed expression needs a device: write it into a Tensor first");
    return is_integer<element_of_t<I>> && !std::is_same_v<typename X::device_type, AnyDevice>;
  } else {
    return false;
  }
}

/// Whether A is axis(n); if not, one compile error that says what to write.
template <class A>
constexpr bool is_axis() {
  static_assert(std::is_same_v<A, Axes>,
                "weft: the axis that indices belong to is written axis(n), where the function "
                "takes it: index_add(x, axis(n), i, source), gather(x, i, axis(n))");
  return std::is_same_v<A, Axes>;
}

}  // namespace detail
}  // namespace weft
