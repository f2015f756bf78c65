// pool::Largest: the largest element of each window, and its gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/pool_window.hpp"

namespace weft::pool {

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

}  // namespace weft::pool
