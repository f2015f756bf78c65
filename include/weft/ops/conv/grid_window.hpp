// sampling::Window, Values, ImageGradient, GridGradient: what grid_sample computes at each place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/atomic.hpp"
#include "weft/core/math/functions.hpp"
#include "weft/ops/conv/resample_window.hpp"

namespace weft {

/// What grid_sample reads for coordinates outside the image.
enum class GridPadding {
  zeros,      ///< nothing
  border,     ///< the outermost element
  reflection  ///< the image seen in a mirror at its border, again and again
};

namespace sampling {

using conv::Place;
using conv::Planes;

/// How a grid's coordinates name places of an image. C is the type that they are computed in.
template <class C>
struct Window {
  int in[3] = {1, 1, 1};
  int out[3] = {1, 1, 1};
  int axes = 2;
  Interpolation kind = Interpolation::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;

  static constexpr int most = 4;
  /// What is read along an axis: an index below 0 is outside and contributes nothing.
  struct Taps {
    int count;
    int index[most];
    C weight[most];
    C slope[most];  // of the weight, by the grid's coordinate
  };

  /// Reflected at low / 2 and high / 2; multiplies `slope` by the derivative.
  WEFT_HD static C reflected(C at, int low, int high, C& slope) {
    if (low == high) {
      slope = C(0);
      return C(0);
    }
    const C from = static_cast<C>(low) / C(2);
    const C span = static_cast<C>(high - low) / C(2);
    if (at < from) slope = -slope;
    const C far = at < from ? from - at : at - from;
    const C flips = math::floor(far / span);
    const C rest = far - flips * span;
    if (flips - C(2) * math::floor(flips / C(2)) == C(0)) return rest + from;
    slope = -slope;
    return span - rest + from;
  }
  /// A coordinate in elements, brought inside as the padding says.
  WEFT_HD C padded(int axis, C at, C& slope) const {
    if (padding == GridPadding::zeros) return at;
    const int size = in[axis];
    if (padding == GridPadding::reflection) {
      at = align_corners ? reflected(at, 0, 2 * (size - 1), slope)
                         : reflected(at, -1, 2 * size - 1, slope);
    }
    const C last = static_cast<C>(size - 1);
    if (at <= C(0)) {
      slope = C(0);
      return C(0);
    }
    if (at >= last) {
      slope = C(0);
      return last;
    }
    return at;
  }
  /// The element at a whole coordinate; NaN and what no int holds are outside.
  WEFT_HD int index(int axis, C at) const {
    return at >= C(0) && at < static_cast<C>(in[axis]) ? static_cast<int>(at) : -1;
  }
  /// What coordinate `at`, -1 to 1 over the image, reads along an axis.
  WEFT_HD Taps taps(int axis, C at) const {
    Taps t{};
    if (axis < 3 - axes) {
      t.count = 1;
      t.weight[0] = C(1);
      return t;
    }
    const C size = static_cast<C>(in[axis]);
    C slope = (align_corners ? size - C(1) : size) / C(2);
    C place =
        align_corners ? (at + C(1)) / C(2) * (size - C(1)) : ((at + C(1)) * size - C(1)) / C(2);
    if (kind != Interpolation::cubic) place = padded(axis, place, slope);
    const C low = math::floor(place);
    const C rest = place - low;
    if (kind == Interpolation::nearest) {
      t.count = 1;
      t.index[0] = index(axis, math::round(place));
      t.weight[0] = C(1);
    } else if (kind == Interpolation::linear) {
      t.count = 2;
      t.index[0] = index(axis, low);
      t.index[1] = index(axis, low + C(1));
      t.weight[0] = C(1) - rest;
      t.weight[1] = rest;
      t.slope[0] = -slope;
      t.slope[1] = slope;
    } else {
      t.count = 4;
      for (int k = 0; k < 4; ++k) {
        C ignored = C(0);
        t.index[k] = index(axis, padded(axis, low + static_cast<C>(k - 1), ignored));
        const C away = rest + C(1) - static_cast<C>(k);
        const C d = away < C(0) ? -away : away;
        t.weight[k] = resampling::Window<C>::cubic(d);
        t.slope[k] = (away < C(0) ? -slope : slope) * cubic_slope(d);
      }
    }
    return t;
  }
  /// The derivative of Keys's kernel at a distance of 0 to 2.
  WEFT_HD static C cubic_slope(C d) {
    const C a = C(-0.75);
    if (d <= C(1)) return (C(3) * (a + C(2)) * d - C(2) * (a + C(3))) * d;
    return (C(3) * a * d - C(10) * a) * d + C(8) * a;
  }
};

/// The places that a result reads: taps along each axis of the coordinates (x, y) or (x, y, z) that
/// the grid (batch, z, y, x, axes) has for it.
template <class C>
struct Reach {
  typename Window<C>::Taps along[3];

  template <class T>
  WEFT_HD Reach(const Window<C>& w, const T* grid, const Place& p) {
    const int64_t row = (static_cast<int64_t>(p.n) * w.out[0] + p.z) * w.out[1] + p.y;
    const T* const at = grid + (row * w.out[2] + p.x) * w.axes;
    for (int axis = 0; axis < 3; ++axis) {
      const bool given = axis >= 3 - w.axes;
      along[axis] = w.taps(axis, given ? static_cast<C>(load_element(at[2 - axis])) : C(0));
    }
  }
  /// Calls f(offset, i, j, k) for each element inside.
  template <class P, class F>
  WEFT_HD void each(const P& planes, const F& f) const {
    for (int i = 0; i < along[0].count; ++i) {
      if (along[0].index[i] < 0) continue;
      for (int j = 0; j < along[1].count; ++j) {
        if (along[1].index[j] < 0) continue;
        for (int k = 0; k < along[2].count; ++k) {
          if (along[2].index[k] < 0) continue;
          f(along[0].index[i] * planes.z + along[1].index[j] * planes.y +
                along[2].index[k] * planes.x,
            i, j, k);
        }
      }
    }
  }
  WEFT_HD C weight(int i, int j, int k) const {
    return along[0].weight[i] * along[1].weight[j] * along[2].weight[k];
  }
};

/// Results; place.c stands for `step` channels.
template <class T>
struct Values {
  Window<compute_t<T>> window;
  Planes<const T> from;
  const T* grid;
  Planes<T> to;
  int channels;
  int step;

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    const Reach<C> reach(window, grid, p);
    const int last = (p.c + 1) * step < channels ? (p.c + 1) * step : channels;
    for (int c = p.c * step; c < last; ++c) {
      const T* const image = from.at(p.n, c, 0, 0, 0);
      C sum{};
      reach.each(from, [&](int64_t at, int i, int j, int k) {
        sum += reach.weight(i, j, k) * load_element(image[at]);
      });
      *to.at(p.n, c, p.z, p.y, p.x) = static_cast<T>(sum);
    }
  }
};

/// The gradient of the images, added to zeros: by atomic additions at each result's place, or, the
/// same bits in each run, by whole planes.
template <class T>
struct ImageGradient {
  Window<compute_t<T>> window;
  Planes<const T> from;  // that of the results
  const T* grid;
  Planes<compute_t<T>> to;
  bool by_planes;

  WEFT_HD void operator()(const Place& p) const {
    if (by_planes) return plane(p.n, p.c);
    add(p);
  }
  /// On the CPU the first row of a plane does all of it.
  void row(const Place& p, int) const {
    if (p.z == 0 && p.y == 0) plane(p.n, p.c);
  }

 private:
  WEFT_HD void add(const Place& p) const {
    using C = compute_t<T>;
    const Reach<C> reach(window, grid, p);
    const C g = load_element(*from.at(p));
    C* const image = to.at(p.n, p.c, 0, 0, 0);
    reach.each(to, [&](int64_t at, int i, int j, int k) {
      const C share = g * reach.weight(i, j, k);
      if (by_planes) {
        image[at] += share;
      } else {
        weft::detail::atomic_add(image + at, share);
      }
    });
  }
  WEFT_HD void plane(int n, int c) const {
    for (int z = 0; z < window.out[0]; ++z) {
      for (int y = 0; y < window.out[1]; ++y) {
        for (int x = 0; x < window.out[2]; ++x) add({n, c, z, y, x});
      }
    }
  }
};

/// The gradient of the grid.
template <class T>
struct GridGradient {
  Window<compute_t<T>> window;
  Planes<const T> images;
  Planes<const T> from;  // that of the results
  const T* grid;
  T* to;
  int channels;

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    const Reach<C> reach(window, grid, p);
    C sum[3] = {};
    for (int c = 0; c < channels; ++c) {
      const T* const image = images.at(p.n, c, 0, 0, 0);
      const C g = load_element(*from.at(p.n, c, p.z, p.y, p.x));
      reach.each(images, [&](int64_t at, int i, int j, int k) {
        const auto& [z, y, x] = reach.along;
        const C v = g * load_element(image[at]);
        sum[0] += v * x.slope[k] * y.weight[j] * z.weight[i];
        sum[1] += v * x.weight[k] * y.slope[j] * z.weight[i];
        sum[2] += v * x.weight[k] * y.weight[j] * z.slope[i];
      });
    }
    const int64_t row = (static_cast<int64_t>(p.n) * window.out[0] + p.z) * window.out[1] + p.y;
    for (int i = 0; i < window.axes; ++i) {
      to[(row * window.out[2] + p.x) * window.axes + i] = static_cast<T>(sum[i]);
    }
  }
};

}  // namespace sampling
}  // namespace weft
