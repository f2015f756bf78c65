// resampling::Window, Values: which elements an interpolation reads, and with what weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/problem.hpp"

namespace weft {

/// How values between the elements of an image are computed.
enum class Interpolation {
  nearest,  ///< the element at or before the place, as PyTorch's "nearest"
  linear,   ///< linear, bilinear, trilinear
  cubic     ///< bicubic, Keys 1981 with a = -0.75, as PyTorch
};

namespace resampling {

using conv::Place;
using conv::Planes;

/// Where an interpolation reads. C is the type that it computes in.
template <class C>
struct Window {
  int in[3] = {1, 1, 1};
  int out[3] = {1, 1, 1};
  C scale[3] = {1, 1, 1};  // places of the image from a result to the next
  Interpolation kind = Interpolation::nearest;
  bool align_corners = false;

  /// The elements that a result reads along an axis, K of them, or one where images have no such
  /// axis. K is a constant, or a GPU would keep the arrays in memory.
  template <int K>
  struct Taps {
    int count;
    int index[K];
    C weight[K];
  };

  /// Where a result lies in the image.
  WEFT_HD C source(int axis, int o) const {
    const C at = static_cast<C>(o);
    if (kind == Interpolation::nearest || align_corners) return at * scale[axis];
    const C middle = (at + C(0.5)) * scale[axis] - C(0.5);
    return kind == Interpolation::linear && middle < C(0) ? C(0) : middle;
  }
  WEFT_HD int inside(int axis, int i) const { return i < 0 ? 0 : i < in[axis] ? i : in[axis] - 1; }
  /// K is 1 for nearest, 2 for linear, 4 for cubic interpolation.
  template <int K>
  WEFT_HD Taps<K> taps(int axis, int o) const {
    Taps<K> t{};
    t.count = K;
    if (in[axis] == out[axis] && in[axis] == 1) {
      t.count = 1;
      t.weight[0] = C(1);
      return t;
    }
    const C at = source(axis, o);
    int first = static_cast<int>(at);
    if (at < static_cast<C>(first)) --first;
    [[maybe_unused]] const C rest = at - static_cast<C>(first);
    if constexpr (K == 1) {
      t.index[0] = inside(axis, first);
      t.weight[0] = C(1);
    } else if constexpr (K == 2) {
      t.index[0] = inside(axis, first);
      t.index[1] = inside(axis, first + 1);
      t.weight[0] = C(1) - rest;
      t.weight[1] = rest;
    } else {
      const C distance[] = {rest + C(1), rest, C(1) - rest, C(2) - rest};
      WEFT_UNROLL
      for (int k = 0; k < K; ++k) {
        t.index[k] = inside(axis, first - 1 + k);
        t.weight[k] = cubic(distance[k]);
      }
    }
    return t;
  }
  /// Keys's kernel at a distance of 0 to 2.
  WEFT_HD static C cubic(C d) {
    const C a = C(-0.75);
    if (d <= C(1)) return ((a + C(2)) * d - (a + C(3))) * d * d + C(1);
    return ((a * d - C(5) * a) * d + C(8) * a) * d - C(4) * a;
  }

  /// All results that read place i lie in [first, last).
  WEFT_HD void range(int axis, int i, int& first, int& last) const {
    first = 0;
    last = out[axis];
    if (scale[axis] <= C(0)) return;
    const int margin = kind == Interpolation::nearest ? 0 : kind == Interpolation::linear ? 1 : 2;
    const C shift = kind == Interpolation::nearest || align_corners ? C(0) : C(0.5);
    const C from = (static_cast<C>(i - margin) + shift) / scale[axis] - shift - C(1);
    const C to = (static_cast<C>(i + margin + 1) + shift) / scale[axis] - shift + C(2);
    // The outermost elements stand for those outside as well.
    if (i > 0 && from > C(0)) first = static_cast<int>(from);
    if (i < in[axis] - 1 && to < static_cast<C>(out[axis])) last = static_cast<int>(to);
    if (last < 0) last = 0;
  }
  /// With what weight result o reads place i.
  template <int K>
  WEFT_HD C weight(int axis, int o, int i) const {
    const Taps<K> t = taps<K>(axis, o);
    C sum{};
    WEFT_UNROLL
    for (int k = 0; k < K; ++k) {
      if (k < t.count && t.index[k] == i) sum += t.weight[k];
    }
    return sum;
  }
};

/// Each result; K as for taps.
template <class T, int K>
struct Values {
  using C = compute_t<T>;
  static constexpr int neighbours = sizeof(T) < 8 ? 4 : 2;  // along x, that a GPU's thread computes

  Window<C> window;
  Planes<const T> from;
  Planes<T> to;

  WEFT_HD T* target(const Place& p) const { return to.at(p); }
  static bool takes_neighbours() { return true; }
  WEFT_HD int64_t step_of_targets() const { return to.x; }
  WEFT_HD void operator()(const Place& p) const {
    T value[1];
    compute(p, value);
    *target(p) = value[0];
  }
  /// Those from a place on along x.
  template <int V>
  WEFT_HD void compute(const Place& p, T (&out)[V]) const {
    const auto z = window.template taps<K>(0, p.z);
    const auto y = window.template taps<K>(1, p.y);
    const T* const image = from.at(p.n, p.c, 0, 0, 0);
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      const auto x = window.template taps<K>(2, p.x + v < window.out[2] ? p.x + v : p.x);
      C sum{};
      WEFT_UNROLL
      for (int i = 0; i < K; ++i) {
        if (i >= z.count) break;
        WEFT_UNROLL
        for (int j = 0; j < K; ++j) {
          if (j >= y.count) break;
          const T* const line = image + z.index[i] * from.z + y.index[j] * from.y;
          C row{};
          WEFT_UNROLL
          for (int k = 0; k < K; ++k) {
            if (k >= x.count) break;
            row += x.weight[k] * load_element(line[x.index[k] * from.x]);
          }
          sum += z.weight[i] * y.weight[j] * row;
        }
      }
      out[v] = static_cast<T>(sum);
    }
  }
};

/// The gradient of the images.
template <class T, int K>
struct Gradient {
  using C = compute_t<T>;

  Window<C> window;
  Planes<const T> from;  // that of the results
  Planes<T> to;

  WEFT_HD void operator()(const Place& p) const {
    int first[3];
    int last[3];
    const int at[3] = {p.z, p.y, p.x};
    WEFT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      int& begin = first[axis];
      int& end = last[axis];
      window.range(axis, at[axis], begin, end);
      while (begin < end && window.template weight<K>(axis, begin, at[axis]) == C(0)) ++begin;
      while (begin < end && window.template weight<K>(axis, end - 1, at[axis]) == C(0)) --end;
    }
    const T* const image = from.at(p.n, p.c, 0, 0, 0);
    C sum{};
    for (int z = first[0]; z < last[0]; ++z) {
      const C wz = window.template weight<K>(0, z, p.z);
      for (int y = first[1]; y < last[1]; ++y) {
        const C wzy = wz * window.template weight<K>(1, y, p.y);
        if (wzy == C(0)) continue;
        const T* const line = image + z * from.z + y * from.y;
        for (int x = first[2]; x < last[2]; ++x) {
          const C wx = window.template weight<K>(2, x, p.x);
          if (wx != C(0)) sum += wzy * wx * load_element(line[x * from.x]);
        }
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
};

}  // namespace resampling
}  // namespace weft
