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

  static constexpr int most = 4;
  struct Taps {
    int count;
    int index[most];
    C weight[most];
  };

  /// Where a result lies in the image.
  WEFT_HD C source(int axis, int o) const {
    const C at = static_cast<C>(o);
    if (kind == Interpolation::nearest || align_corners) return at * scale[axis];
    const C middle = (at + C(0.5)) * scale[axis] - C(0.5);
    return kind == Interpolation::linear && middle < C(0) ? C(0) : middle;
  }
  WEFT_HD int inside(int axis, int i) const { return i < 0 ? 0 : i < in[axis] ? i : in[axis] - 1; }
  WEFT_HD Taps taps(int axis, int o) const {
    Taps t{};
    if (in[axis] == out[axis] && in[axis] == 1) {
      t.count = 1;
      t.weight[0] = C(1);
      return t;
    }
    const C at = source(axis, o);
    int first = static_cast<int>(at);
    if (at < static_cast<C>(first)) --first;
    if (kind == Interpolation::nearest) {
      t.count = 1;
      t.index[0] = inside(axis, first);
      t.weight[0] = C(1);
    } else if (kind == Interpolation::linear) {
      const C rest = at - static_cast<C>(first);
      t.count = 2;
      t.index[0] = inside(axis, first);
      t.index[1] = inside(axis, first + 1);
      t.weight[0] = C(1) - rest;
      t.weight[1] = rest;
    } else {
      const C rest = at - static_cast<C>(first);
      t.count = 4;
      for (int k = 0; k < 4; ++k) {
        t.index[k] = inside(axis, first - 1 + k);
        t.weight[k] = cubic(k == 0   ? rest + C(1)
                            : k == 1 ? rest
                            : k == 2 ? C(1) - rest
                                     : C(2) - rest);
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
  WEFT_HD C weight(int axis, int o, int i) const {
    const Taps t = taps(axis, o);
    C sum{};
    for (int k = 0; k < t.count; ++k) {
      if (t.index[k] == i) sum += t.weight[k];
    }
    return sum;
  }
};

/// Each result.
template <class T>
struct Values {
  Window<compute_t<T>> window;
  Planes<const T> from;
  Planes<T> to;

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    const auto z = window.taps(0, p.z);
    const auto y = window.taps(1, p.y);
    const auto x = window.taps(2, p.x);
    C sum{};
    for (int i = 0; i < z.count; ++i) {
      for (int j = 0; j < y.count; ++j) {
        C row{};
        for (int k = 0; k < x.count; ++k) {
          row += x.weight[k] * load_element(*from.at(p.n, p.c, z.index[i], y.index[j], x.index[k]));
        }
        sum += z.weight[i] * y.weight[j] * row;
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
};

/// The gradient of the images.
template <class T>
struct Gradient {
  Window<compute_t<T>> window;
  Planes<const T> from;  // that of the results
  Planes<T> to;

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    int first[3];
    int last[3];
    const int at[3] = {p.z, p.y, p.x};
    for (int axis = 0; axis < 3; ++axis) window.range(axis, at[axis], first[axis], last[axis]);
    C sum{};
    for (int z = first[0]; z < last[0]; ++z) {
      const C wz = window.weight(0, z, p.z);
      if (wz == C(0)) continue;
      for (int y = first[1]; y < last[1]; ++y) {
        const C wy = window.weight(1, y, p.y);
        if (wy == C(0)) continue;
        for (int x = first[2]; x < last[2]; ++x) {
          const C wx = window.weight(2, x, p.x);
          if (wx != C(0)) sum += wz * wy * wx * load_element(*from.at(p.n, p.c, z, y, x));
        }
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
};

}  // namespace resampling
}  // namespace weft
