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

  /// Whether images have two axes, and more than an element along each.
  bool is_flat() const { return is_single(0) && !is_single(1) && !is_single(2); }
  /// Whether an axis has one element before and after, or is none of the images'.
  WEFT_HD bool is_single(int axis) const { return in[axis] == 1 && out[axis] == 1; }
  /// Where a result lies in the image.
  WEFT_HD C source(int axis, int o) const {
    const C at = static_cast<C>(o);
    if (kind == Interpolation::nearest || align_corners) return at * scale[axis];
    const C middle = (at + C(0.5)) * scale[axis] - C(0.5);
    return kind == Interpolation::linear && middle < C(0) ? C(0) : middle;
  }
  WEFT_HD int inside(int axis, int i) const { return i < 0 ? 0 : i < in[axis] ? i : in[axis] - 1; }
  /// The elements that a result reads along an axis: `count` from `first` on, at `rest` between.
  struct Start {
    int first;
    int count;
    C rest;
  };
  /// K is 1 for nearest, 2 for linear, 4 for cubic interpolation.
  template <int K>
  WEFT_HD Start start(int axis, int o) const {
    if (is_single(axis)) return {0, 1, C(0)};
    const C at = source(axis, o);
    int first = static_cast<int>(at);
    if (at < static_cast<C>(first)) --first;
    return {K == 4 ? first - 1 : first, K, at - static_cast<C>(first)};
  }
  template <int K>
  WEFT_HD C weight(const Start& s, int k) const {
    if (K == 1 || s.count == 1) return C(1);
    if (K == 2) return k == 0 ? C(1) - s.rest : s.rest;
    const C distance = s.rest - static_cast<C>(k - 1);
    return cubic(distance < C(0) ? -distance : distance);
  }
  template <int K>
  WEFT_HD Taps<K> taps(int axis, int o) const {
    const Start s = start<K>(axis, o);
    Taps<K> t{};
    t.count = s.count;
    WEFT_UNROLL
    for (int k = 0; k < K; ++k) {
      t.index[k] = inside(axis, s.first + k);
      t.weight[k] = weight<K>(s, k);
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
  using Taps = typename Window<C>::template Taps<K>;
  static constexpr int neighbours = sizeof(T) < 8 ? 4 : 2;

  Window<C> window;
  Planes<const T> from;
  Planes<T> to;
  bool flat = window.is_flat();

  template <int V>
  struct Looked {
    typename Window<C>::Start z;
    Taps y;
    Taps x[V];
  };
  template <int V>
  WEFT_HD Looked<V> look(const Place& p) const {
    Looked<V> seen{window.template start<K>(0, p.z), window.template taps<K>(1, p.y), {}};
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      seen.x[v] = window.template taps<K>(2, p.x + v < window.out[2] ? p.x + v : p.x);
    }
    return seen;
  }
  WEFT_HD T* target(const conv::Plane& p) const { return to.at(p); }
  WEFT_HD int64_t within(const Place& p) const { return to.within(p); }
  bool takes_neighbours() const { return flat && from.x == 1 && to.x == 1; }

  template <int V>
  WEFT_HD void compute(const Looked<V>& seen, const conv::Plane& plane, T (&out)[V]) const {
    const T* const image = from.at(plane);
    C sum[V]{};
    if (V > 1 || flat) {
      add_slice<true>(seen, image, C(1), sum);
    } else {
      for (int k = 0; k < seen.z.count; ++k) {
        const T* const slice = image + window.inside(0, seen.z.first + k) * from.z;
        add_slice<false>(seen, slice, window.template weight<K>(seen.z, k), sum);
      }
    }
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) out[v] = static_cast<T>(sum[v]);
  }

 private:
  /// Adds the values between the elements of a slice along z.
  template <bool Flat, int V>
  WEFT_HD void add_slice(const Looked<V>& seen, const T* slice, C factor, C (&sum)[V]) const {
    WEFT_UNROLL
    for (int j = 0; j < K; ++j) {
      if (!Flat && j >= seen.y.count) continue;
      const T* const line = slice + seen.y.index[j] * from.y;
      WEFT_UNROLL
      for (int v = 0; v < V; ++v) {
        const Taps& x = seen.x[v];
        C row{};
        WEFT_UNROLL
        for (int k = 0; k < K; ++k) {
          if (!Flat && k >= x.count) continue;
          row += x.weight[k] * load_element(line[V > 1 ? x.index[k] : x.index[k] * from.x]);
        }
        sum[v] += factor * seen.y.weight[j] * row;
      }
    }
  }
};

/// The gradient of the images.
template <class T, int K>
struct Gradient {
  using C = compute_t<T>;
  static constexpr int few = 2 * K;  // results that read a place along an axis, by 2 or less

  Window<C> window;
  Planes<const T> from;  // that of the results
  Planes<T> to;

  /// The results along an axis that read a place, and with what weights if they are few.
  struct Readers {
    int first;
    int count;
    C weight[few];
  };
  WEFT_HD Readers readers(int axis, int i) const {
    Readers r{};
    int last = 0;
    window.range(axis, i, r.first, last);
    while (r.first < last && window.template weight<K>(axis, r.first, i) == C(0)) ++r.first;
    while (r.first < last && window.template weight<K>(axis, last - 1, i) == C(0)) --last;
    r.count = last - r.first;
    WEFT_UNROLL
    for (int k = 0; k < few; ++k) {
      r.weight[k] = k < r.count ? window.template weight<K>(axis, r.first + k, i) : C(0);
    }
    return r;
  }

  struct Looked {
    Place at;
    Readers z;
    Readers y;
    Readers x;
  };
  template <int V>
  WEFT_HD Looked look(const Place& p) const {
    return {p, readers(0, p.z), readers(1, p.y), readers(2, p.x)};
  }
  WEFT_HD T* target(const conv::Plane& p) const { return to.at(p); }
  WEFT_HD int64_t within(const Place& p) const { return to.within(p); }

  WEFT_HD void compute(const Looked& seen, const conv::Plane& plane, T (&out)[1]) const {
    const T* const image = from.at(plane) + from.within(seen.z.first, seen.y.first, seen.x.first);
    const bool are_few = seen.y.count <= few && seen.x.count <= few;
    C sum{};
    for (int z = 0; z < seen.z.count; ++z) {
      const T* const slice = image + z * from.z;
      const C weight = window.template weight<K>(0, seen.z.first + z, seen.at.z);
      sum += weight * (are_few ? few_of(seen, slice) : all_of(seen, slice));
    }
    out[0] = static_cast<T>(sum);
  }

 private:
  WEFT_HD C few_of(const Looked& seen, const T* slice) const {
    C sum{};
    WEFT_UNROLL
    for (int y = 0; y < few; ++y) {
      WEFT_UNROLL
      for (int x = 0; x < few; ++x) {
        if (y >= seen.y.count || x >= seen.x.count) continue;
        sum += seen.y.weight[y] * seen.x.weight[x] * load_element(slice[y * from.y + x * from.x]);
      }
    }
    return sum;
  }
  WEFT_HD C all_of(const Looked& seen, const T* slice) const {
    C sum{};
    for (int y = 0; y < seen.y.count; ++y) {
      const C wy = window.template weight<K>(1, seen.y.first + y, seen.at.y);
      for (int x = 0; x < seen.x.count; ++x) {
        sum += wy * window.template weight<K>(2, seen.x.first + x, seen.at.x) *
               load_element(slice[y * from.y + x * from.x]);
      }
    }
    return sum;
  }
};

}  // namespace resampling
}  // namespace weft
