// pool::Average: the mean of each window, and its gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/pool_window.hpp"

namespace weft::pool {

/// The mean of each window.
template <class T>
struct Average {
  using C = compute_t<T>;
  static constexpr int neighbours = sizeof(T) < 8 ? 4 : 2;

  Window window;
  Planes<const T> from;
  Planes<T> to;
  int common = window.common_share();

  template <int V>
  struct Looked {
    Windows<V> windows;
    C share[V];
  };
  template <int V>
  WEFT_HD Looked<V> look(const Place& p) const {
    Looked<V> seen{Windows<V>(window, p), {}};
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      seen.share[v] = static_cast<C>(common != 0 ? common : window.share(p.z, p.y, p.x + v));
    }
    return seen;
  }
  WEFT_HD T* target(const conv::Plane& p) const { return to.at(p); }
  WEFT_HD int64_t within(const Place& p) const { return to.within(p); }
  bool takes_neighbours() const { return from.x == 1 && to.x == 1 && window.is_usual(); }
  template <int V>
  WEFT_HD void compute(const Looked<V>& seen, const conv::Plane& plane, T (&out)[V]) const {
    C sum[V]{};
    seen.windows.add(
        window, from.at(plane), from, [](C x) { return x; }, sum);
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) out[v] = static_cast<T>(sum[v] / seen.share[v]);
  }
};

/// The gradient of its images.
template <class T>
struct AverageGradient {
  using C = compute_t<T>;

  Window window;
  Planes<const T> from;
  Planes<T> to;
  int common = window.common_share();

  template <int V>
  WEFT_HD Box look(const Place& p) const {
    return window.readers(p);
  }
  WEFT_HD T* target(const conv::Plane& p) const { return to.at(p); }
  WEFT_HD int64_t within(const Place& p) const { return to.within(p); }
  WEFT_HD void compute(const Box& readers, const conv::Plane& plane, T (&out)[1]) const {
    const T* const image = from.at(plane);
    C sum{};
    if (common != 0) {
      add_box(
          readers, image, from, [](C x) { return x; }, sum);
      sum /= static_cast<C>(common);
    } else {
      for (int z = readers.front; z < readers.back; ++z) {
        for (int y = readers.top; y < readers.bottom; ++y) {
          for (int x = readers.left; x < readers.right; ++x) {
            sum +=
                load_element(image[from.within(z, y, x)]) / static_cast<C>(window.share(z, y, x));
          }
        }
      }
    }
    out[0] = static_cast<T>(sum);
  }
};

}  // namespace weft::pool
