// pool::Window, pool::Largest, pool::Average: what pooling computes at each place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/problem.hpp"

namespace weft::pool {

using conv::Place;
using conv::Planes;

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

/// The largest element of each window, and its place in the image unless `index` has no elements;
/// NaN is larger than all others.
template <class T, class I>
struct Largest {
  Window window;
  Planes<const T> from;
  Planes<T> to;
  Planes<I> index;

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    const Window& w = window;
    int front, back, top, bottom, left, right;
    w.clip(0, p.z, front, back);
    w.clip(1, p.y, top, bottom);
    w.clip(2, p.x, left, right);
    const T* const image = from.at(p.n, p.c, 0, 0, 0);
    C best{};
    int found = -1;
    for (int z = front; z < back; z += w.dilation[0]) {
      for (int y = top; y < bottom; y += w.dilation[1]) {
        const T* const line = image + z * from.z + y * from.y;
        for (int x = left; x < right; x += w.dilation[2]) {
          const C value = load_element(line[x * from.x]);
          if (found < 0 || value > best || value != value) {
            best = value;
            found = (z * w.in[1] + y) * w.in[2] + x;
          }
        }
      }
    }
    *to.at(p) = static_cast<T>(best);
    if (index.data != nullptr) *index.at(p) = static_cast<I>(found);
  }
};

/// The gradient of its images: each place's sum over the windows that chose it.
template <class T, class I>
struct LargestGradient {
  Window window;
  Planes<const T> from;  // the gradient of the results
  Planes<const I> index;
  Planes<T> to;

  WEFT_HD void operator()(const Place& p) const {
    const Window& w = window;
    const I me = static_cast<I>((p.z * w.in[1] + p.y) * w.in[2] + p.x);
    compute_t<T> sum{};
    for (int z = w.first(0, p.z); z < w.last(0, p.z); ++z) {
      for (int y = w.first(1, p.y); y < w.last(1, p.y); ++y) {
        for (int x = w.first(2, p.x); x < w.last(2, p.x); ++x) {
          if (*index.at(p.n, p.c, z, y, x) == me) {
            sum += load_element(*from.at(p.n, p.c, z, y, x));
          }
        }
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
  /// Half types would be rounded at each addition.
  void row(const Place& p, int count) const requires(!is_half<T>) {
    const Window& w = window;
    T* const out = to.at(p);
    for (int i = 0; i < count; ++i) out[i * to.x] = T(0);
    const int start = (p.z * w.in[1] + p.y) * w.in[2];
    for (int z = w.first(0, p.z); z < w.last(0, p.z); ++z) {
      for (int y = w.first(1, p.y); y < w.last(1, p.y); ++y) {
        const T* const up = from.at(p.n, p.c, z, y, 0);
        const I* const chosen = index.at(p.n, p.c, z, y, 0);
        for (int x = 0; x < w.out[2]; ++x) {
          const int64_t at = static_cast<int64_t>(chosen[x * index.x]) - start;
          if (at >= 0 && at < count) out[at * to.x] += up[x * from.x];
        }
      }
    }
  }
};

/// The mean of each window.
template <class T>
struct Average {
  using C = compute_t<T>;
  static constexpr int neighbours = sizeof(T) < 8 ? 4 : 2;  // along x, that a GPU's thread computes

  Window window;
  Planes<const T> from;
  Planes<T> to;
  int common = window.common_share();

  WEFT_HD T* target(const Place& p) const { return to.at(p); }
  bool takes_neighbours() const { return !window.parts && window.stride[2] < window.kernel[2]; }
  WEFT_HD int64_t step_of_targets() const { return to.x; }
  WEFT_HD void operator()(const Place& p) const {
    T value[1];
    compute(p, value);
    *target(p) = value[0];
  }
  /// The means from a place on along x, whose windows may overlap: each element is read once.
  template <int V>
  WEFT_HD void compute(const Place& p, T (&out)[V]) const {
    const Window& w = window;
    int front, back, top, bottom;
    w.clip(0, p.z, front, back);
    w.clip(1, p.y, top, bottom);
    int left[V];
    int right[V];
    C sum[V]{};
    int end = 0;
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      w.clip(2, p.x + v, left[v], right[v]);
      if (p.x + v >= w.out[2]) right[v] = left[v];
      end = right[v] > end ? right[v] : end;
    }
    const T* const image = from.at(p.n, p.c, 0, 0, left[0]);
    for (int z = front; z < back; ++z) {
      for (int y = top; y < bottom; ++y) {
        const T* at = image + z * from.z + y * from.y;
        for (int x = left[0]; x < end; ++x, at += from.x) {
          const C value = load_element(*at);
          WEFT_UNROLL
          for (int v = 0; v < V; ++v) {
            if (V == 1 || (x >= left[v] && x < right[v])) sum[v] += value;
          }
        }
      }
    }
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      const int share = common != 0 ? common : w.share(p.z, p.y, p.x + v);
      out[v] = static_cast<T>(sum[v] / static_cast<C>(share));
    }
  }
};

/// The gradient of its images.
template <class T>
struct AverageGradient {
  Window window;
  Planes<const T> from;
  Planes<T> to;
  int common = window.common_share();

  WEFT_HD void operator()(const Place& p) const {
    const Window& w = window;
    const int back = w.last(0, p.z), bottom = w.last(1, p.y);
    const int left = w.first(2, p.x), right = w.last(2, p.x);
    const T* const image = from.at(p.n, p.c, 0, 0, left);
    compute_t<T> sum{};
    for (int z = w.first(0, p.z); z < back; ++z) {
      for (int y = w.first(1, p.y); y < bottom; ++y) {
        const T* at = image + z * from.z + y * from.y;
        for (int x = left; x < right; ++x, at += from.x) {
          const auto by = static_cast<compute_t<T>>(common != 0 ? common : w.share(z, y, x));
          sum += load_element(*at) / by;
        }
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
};

}  // namespace weft::pool
