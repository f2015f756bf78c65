// Layout: shape, strides and offset of a view, and the algebra of views on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/core/shape.hpp"

namespace weft {

/// How a view's coordinates map to positions in memory: offset + sum of index * stride.
struct Layout {
  Shape shape;
  Strides strides;
  int64_t offset = 0;

  int rank() const { return shape.rank(); }

  /// True when the elements lie in row-major order without gaps.
  bool is_contiguous() const { return are_contiguous(shape, strides); }
  /// The same of a view with these sizes and strides.
  static bool are_contiguous(const Shape& shape, const Strides& strides) {
    for (int64_t size : shape) {
      if (size == 0) return true;
    }
    int64_t expected = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      if (shape[i] != 1 && strides[i] != expected) return false;
      expected *= shape[i];
    }
    return true;
  }

  /// True when two coordinates share a memory position, as after expand() and in windows.
  bool has_overlap() const {
    int64_t reach = 0;  // what the axes so far span
    for (int i = rank() - 1; i >= 0; --i) {
      if (shape[i] <= 1) continue;
      const int64_t step = strides[i] < 0 ? -strides[i] : strides[i];
      if (step <= reach) return overlaps_in_any_order();
      reach += (shape[i] - 1) * step;
    }
    return false;
  }

  /// The first and one past the last position that the view touches.
  void extent(int64_t& first, int64_t& last) const {
    first = last = offset;
    for (int i = 0; i < rank(); ++i) {
      if (shape[i] == 0) {
        last = first;
        return;
      }
      (strides[i] < 0 ? first : last) += (shape[i] - 1) * strides[i];
    }
    ++last;
  }

 private:
  /// has_overlap where an axis steps no further than the axes after it span.
  [[gnu::noinline]] bool overlaps_in_any_order() const {
    Strides step;
    Shape count;
    if (shape.size() == 0) return false;
    for (int i = 0; i < rank(); ++i) {
      if (shape[i] == 1) continue;
      if (strides[i] == 0) return true;
      int at = step.rank();
      step.push_back(strides[i] < 0 ? -strides[i] : strides[i]);
      count.push_back(shape[i]);
      for (; at > 0 && step[at - 1] > step[at]; --at) {
        std::swap(step[at - 1], step[at]);
        std::swap(count[at - 1], count[at]);
      }
    }
    int64_t reach = 0;
    bool apart = true;
    for (int i = 0; i < step.rank(); ++i) {
      apart = apart && step[i] > reach;
      reach += (count[i] - 1) * step[i];
    }
    return !apart && visits_twice(step, count, reach);
  }
  /// Whether a walk over all coordinates comes to a position again.
  static bool visits_twice(const Strides& step, const Shape& count, int64_t reach) {
    std::vector<bool> seen(static_cast<std::size_t>(reach + 1));
    Shape at = count;  // what is left of each axis
    for (int64_t place = 0;;) {
      if (seen[static_cast<std::size_t>(place)]) return true;
      seen[static_cast<std::size_t>(place)] = true;
      int i = step.rank() - 1;
      for (; i >= 0 && --at[i] == 0; --i) {
        place -= (count[i] - 1) * step[i];
        at[i] = count[i];
      }
      if (i < 0) return false;
      place += step[i];
    }
  }
};

namespace layout {

inline Layout contiguous(const Shape& shape) { return {shape, contiguous_strides(shape), 0}; }

/// The axes in the given order.
inline Layout permute(const Layout& x, const detail::Int64s& axes) {
  if (axes.rank() != x.rank()) {
    fail<ShapeError>("permute", "axes ", axes, " for shape ", x.shape, ", expected ", x.rank(),
                     " axes");
  }
  Layout out{{}, {}, x.offset};
  unsigned seen = 0;
  for (int64_t a : axes) {
    const int axis = normalize_axis("permute", a, x.rank());
    if ((seen >> axis & 1u) != 0)
      fail<ShapeError>("permute", "axis ", a, " appears twice in ", axes);
    seen |= 1u << axis;
    out.shape.push_back(x.shape[axis]);
    out.strides.push_back(x.strides[axis]);
  }
  return out;
}

/// Two axes swapped; for rank 0, x itself given 0 and -1, as in PyTorch.
inline Layout transpose(const Layout& x, int64_t a, int64_t b) {
  if (x.rank() == 0 && a >= -1 && a <= 0 && b >= -1 && b <= 0) return x;
  const int i = normalize_axis("transpose", a, x.rank());
  const int j = normalize_axis("transpose", b, x.rank());
  Layout out = x;
  out.shape[i] = x.shape[j];
  out.shape[j] = x.shape[i];
  out.strides[i] = x.strides[j];
  out.strides[j] = x.strides[i];
  return out;
}

/// `shape` with its one -1 replaced so that it has `size` elements.
inline Shape infer(const char* operation, Shape shape, int64_t size, const Shape& from) {
  int unknown = -1;
  int64_t known = 1;
  bool overflow = false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1 && unknown < 0) {
      unknown = i;
    } else if (shape[i] < 0) {
      fail<ShapeError>(operation, "size ", shape[i], " in ", shape,
                       ", expected sizes of at least 0 and at most one -1");
    } else {
      overflow |= __builtin_mul_overflow(known, shape[i], &known);
    }
  }
  if (unknown >= 0 && known > 0 && size % known == 0) shape[unknown] = size / known;
  if (overflow || (unknown >= 0 ? shape[unknown] < 0 : known != size)) {
    fail<ShapeError>(operation, "shape ", from, " of ", size, " elements cannot become ", shape);
  }
  return shape;
}

/// The same elements in row-major order under another shape; false when that needs a copy.
inline bool reshape(const Layout& x, const Shape& shape, Layout& out) {
  out = {shape, contiguous_strides(shape), x.offset};
  if (x.is_contiguous()) return true;
  int from = x.rank();
  int to = shape.rank();
  while (from > 0 && to > 0) {
    int64_t old_size = x.shape[--from];
    int64_t new_size = shape[--to];
    int64_t stride = x.strides[from];
    int first = from;
    const int last_to = to;
    while (old_size != new_size) {
      if (old_size < new_size) {
        if (first == 0) return false;
        --first;
        if (x.shape[first] != 1 && old_size != 1 && x.strides[first] != stride * old_size) {
          return false;
        }
        if (old_size == 1) stride = x.strides[first];
        old_size *= x.shape[first];
      } else {
        if (to == 0) return false;
        new_size *= shape[--to];
      }
    }
    from = first;
    for (int i = last_to; i >= to; --i) {
      out.strides[i] = stride;
      stride *= shape[i];
    }
  }
  return true;
}

/// Size-1 axes removed: all of them, or the one at `axis` (which must have size 1).
inline Layout squeeze(const Layout& x) {
  Layout out{{}, {}, x.offset};
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape[i] == 1) continue;
    out.shape.push_back(x.shape[i]);
    out.strides.push_back(x.strides[i]);
  }
  return out;
}
inline Layout squeeze(Layout x, int64_t axis) {
  if (x.rank() == 0 && axis >= -1 && axis <= 0) return x;  // as in PyTorch
  const int i = normalize_axis("squeeze", axis, x.rank());
  if (x.shape[i] != 1) {
    fail<ShapeError>("squeeze", "axis ", axis, " of ", x.shape, " has size ", x.shape[i],
                     ", expected 1");
  }
  x.shape.erase(i);
  x.strides.erase(i);
  return x;
}

/// A new axis of size 1 before `axis`.
inline Layout unsqueeze(Layout x, int64_t axis) {
  const int i = normalize_axis("unsqueeze", axis, x.rank() + 1);
  x.shape.insert(i, 1);
  x.strides.insert(i, 0);
  return x;
}

/// Size-1 and missing leading axes stretched to `shape`; -1 keeps a size.
inline Layout expand(const Layout& x, Shape shape) {
  const int shift = shape.rank() - x.rank();
  Layout out{shape, {}, x.offset};
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t old = i < shift ? 1 : x.shape[i - shift];
    if (shape[i] == -1 && i >= shift) out.shape[i] = old;
    if (shift < 0 || out.shape[i] < 0 || (old != out.shape[i] && old != 1)) {
      fail<ShapeError>("expand", "shape ", x.shape, " does not expand to ", shape,
                       ", expected trailing sizes equal or 1");
    }
    out.strides.push_back(old == 1 ? 0 : x.strides[i - shift]);
  }
  if (shift < 0) fail<ShapeError>("expand", "shape ", x.shape, " does not expand to ", shape);
  return out;
}

/// The axis read backwards.
inline Layout flip(Layout x, int64_t axis) {
  if (x.rank() == 0 && axis >= -1 && axis <= 0) return x;
  const int i = normalize_axis("flip", axis, x.rank());
  if (x.shape[i] > 0) x.offset += (x.shape[i] - 1) * x.strides[i];
  x.strides[i] = -x.strides[i];
  return x;
}

/// The diagonal of two axes, appended as the last axis; `k` > 0 lies above the main one.
inline Layout diagonal(const Layout& x, int64_t k, int64_t axis1, int64_t axis2) {
  const int i = normalize_axis("diagonal", axis1, x.rank());
  const int j = normalize_axis("diagonal", axis2, x.rank());
  if (i == j) fail<ShapeError>("diagonal", "axes ", axis1, " and ", axis2, " are the same");
  const int64_t rows = x.shape[i] + (k < 0 ? k : 0);
  const int64_t columns = x.shape[j] - (k > 0 ? k : 0);
  const int64_t length = rows < columns ? rows : columns;
  Layout out{{}, {}, x.offset};
  for (int a = 0; a < x.rank(); ++a) {
    if (a == i || a == j) continue;
    out.shape.push_back(x.shape[a]);
    out.strides.push_back(x.strides[a]);
  }
  out.shape.push_back(length > 0 ? length : 0);
  out.strides.push_back(x.strides[i] + x.strides[j]);
  if (length > 0) out.offset += k < 0 ? -k * x.strides[i] : k * x.strides[j];
  return out;
}

/// `length` elements of an axis from `start`.
inline Layout narrow(Layout x, int64_t axis, int64_t start, int64_t length) {
  const int i = normalize_axis("narrow", axis, x.rank());
  if (start < 0 || length < 0 || start > x.shape[i] - length) {
    fail<IndexError>("narrow", "elements ", start, " to ", start + length, " of axis ", axis,
                     " of ", x.shape);
  }
  x.shape[i] = length;
  if (length > 0) x.offset += start * x.strides[i];
  return x;
}

}  // namespace layout
}  // namespace weft
