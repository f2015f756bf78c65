// pool::Window, pool::Windows: what pooling reads at each place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/problem.hpp"

namespace weft::pool {

using conv::Place;
using conv::Planes;

/// The places [front, back) x [top, bottom) x [left, right) of an image.
struct Box {
  int front, back, top, bottom, left, right;
};

/// The windows of a pooling: a kernel that moves over an image, or as many parts of it as there are
/// results.
struct Window {
  int in[3] = {1, 1, 1};
  int out[3] = {1, 1, 1};
  int kernel[3] = {1, 1, 1};
  int stride[3] = {1, 1, 1};
  int padding[3] = {0, 0, 0};
  int dilation[3] = {1, 1, 1};
  bool parts = false;
  bool counts_padding = true;  // of averages
  int divisor = 0;             // of averages, instead of the number of elements

  /// The first place of a window, which may be outside, and one past its last.
  WEFT_HD int begin(int axis, int o) const {
    if (parts) {
      return out[axis] == 1 ? 0 : static_cast<int>(static_cast<int64_t>(o) * in[axis] / out[axis]);
    }
    return o * stride[axis] - padding[axis];
  }
  WEFT_HD int end(int axis, int o) const {
    if (parts) {
      if (out[axis] == 1) return in[axis];
      const int64_t past = static_cast<int64_t>(o + 1) * in[axis] + out[axis] - 1;
      return static_cast<int>(past / out[axis]);
    }
    return begin(axis, o) + (kernel[axis] - 1) * dilation[axis] + 1;
  }
  /// All windows that hold place i are in [first(i), last(i)).
  WEFT_HD int first(int axis, int i) const {
    if (parts) {
      return out[axis] == 1 ? 0 : static_cast<int>(static_cast<int64_t>(i) * out[axis] / in[axis]);
    }
    const int reach = (kernel[axis] - 1) * dilation[axis];
    const int at = i + padding[axis] - reach;
    return at <= 0 ? 0 : (at + stride[axis] - 1) / stride[axis];
  }
  WEFT_HD int last(int axis, int i) const {
    if (parts && out[axis] == 1) return 1;
    const int64_t past = parts ? (static_cast<int64_t>(i + 1) * out[axis] + in[axis] - 1) / in[axis]
                               : (i + padding[axis]) / stride[axis] + 1;
    return past < out[axis] ? static_cast<int>(past) : out[axis];
  }
  /// The places [first, last) of a window that are inside; those between are `dilation` apart.
  WEFT_HD void clip(int axis, int o, int& first, int& last) const {
    const int step = dilation[axis];
    first = begin(axis, o);
    last = end(axis, o);
    if (first < 0) first = step == 1 ? 0 : first + (-first + step - 1) / step * step;
    if (last > in[axis]) last = in[axis];
  }
  WEFT_HD Box box(const Place& o) const {
    Box b;
    clip(0, o.z, b.front, b.back);
    clip(1, o.y, b.top, b.bottom);
    clip(2, o.x, b.left, b.right);
    return b;
  }
  /// The results whose windows hold place i.
  WEFT_HD Box readers(const Place& i) const {
    return {first(0, i.z), last(0, i.z), first(1, i.y), last(1, i.y), first(2, i.x), last(2, i.x)};
  }
  /// Whether a window reaches beyond the image.
  bool is_clipped() const {
    bool clipped = false;
    for (int axis = 0; axis < 3; ++axis) {
      clipped = clipped || begin(axis, 0) < 0 || end(axis, out[axis] - 1) > in[axis];
    }
    return clipped;
  }
  /// Whether windows are 2 or 3 places wide, and 1 or 2 apart.
  bool is_usual() const {
    const bool small = kernel[2] == 2 || kernel[2] == 3;
    return !parts && small && dilation[2] == 1 && (stride[2] == 1 || stride[2] == 2);
  }
  /// The number that all averages are divided by, 0 if there are several.
  WEFT_HD int common_share() const {
    if (divisor != 0 || parts || !counts_padding) return divisor;
    int size = 1;
    for (int axis = 0; axis < 3; ++axis) {
      if (end(axis, out[axis] - 1) > in[axis] + padding[axis]) return 0;
      size *= kernel[axis];
    }
    return size;
  }
  /// The number that an average is divided by. Padding counts, what lies beyond it does not.
  WEFT_HD int share(int oz, int oy, int ox) const {
    if (divisor != 0) return divisor;
    const int o[3] = {oz, oy, ox};
    int size = 1;
    for (int axis = 0; axis < 3; ++axis) {
      int from = begin(axis, o[axis]);
      int to = end(axis, o[axis]);
      if (counts_padding && !parts) {
        if (to > in[axis] + padding[axis]) to = in[axis] + padding[axis];
      } else {
        if (from < 0) from = 0;
        if (to > in[axis]) to = in[axis];
      }
      size *= to - from;
    }
    return size;
  }
};

/// Adds f(x) of each element of a box of a plane to a sum. Up to three of a line are loaded before
/// one is added: a GPU's thread would wait for each.
template <class T, class F, class C>
WEFT_HD void add_box(const Box& box, const T* plane, const Planes<const T>& planes, const F& f,
                     C& sum) {
  constexpr int few = 3;
  const int count = box.right - box.left;
  for (int z = box.front; z < box.back; ++z) {
    for (int y = box.top; y < box.bottom; ++y) {
      const T* const line = plane + planes.within(z, y, box.left);
      WEFT_UNROLL
      for (int i = 0; i < few; ++i) {
        if (i < count) sum += f(static_cast<C>(load_element(line[i * planes.x])));
      }
      for (int i = few; i < count; ++i) sum += f(static_cast<C>(load_element(line[i * planes.x])));
    }
  }
}

/// The windows of V results along x.
template <int V>
struct Windows {
  Box box;  // of the first, whose left and right are not clipped where there are several

  WEFT_HD Windows(const Window& w, const Place& p) : box(w.box(p)) {
    if (V > 1) box.left = w.begin(2, p.x);
  }

  /// Adds f(x) of each element of a window to its sum.
  template <class T, class F, class C>
  WEFT_HD void add(const Window& w, const T* plane, const Planes<const T>& planes, const F& f,
                   C (&sum)[V]) const {
    if constexpr (V == 1) {
      add_box(box, plane, planes, f, sum[0]);
    } else {
      for (int z = box.front; z < box.back; ++z) {
        for (int y = box.top; y < box.bottom; ++y) {
          const T* const line = plane + planes.within(z, y, box.left);
          if (w.stride[2] == 1) {
            w.kernel[2] == 3 ? add_line<3, 1>(w, line, f, sum) : add_line<2, 1>(w, line, f, sum);
          } else {
            w.kernel[2] == 3 ? add_line<3, 2>(w, line, f, sum) : add_line<2, 2>(w, line, f, sum);
          }
        }
      }
    }
  }

 private:
  /// Loads an element once for all windows that have it.
  template <int Kernel, int Stride, class T, class F, class C>
  WEFT_HD void add_line(const Window& w, const T* line, const F& f, C (&sum)[V]) const {
    constexpr int count = (V - 1) * Stride + Kernel;
    C value[count];
    WEFT_UNROLL
    for (int i = 0; i < count; ++i) {
      const bool inside = static_cast<unsigned>(box.left + i) < static_cast<unsigned>(w.in[2]);
      value[i] = inside ? f(static_cast<C>(load_element(line[i]))) : C(0);
    }
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      WEFT_UNROLL
      for (int k = 0; k < Kernel; ++k) sum[v] += value[v * Stride + k];
    }
  }
};

}  // namespace weft::pool
