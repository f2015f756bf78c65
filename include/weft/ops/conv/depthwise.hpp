// conv::DepthwiseResult, conv::DepthwiseImage: convolutions whose filters read one channel each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/columns.hpp"

namespace weft::conv {

/// Each result of a convolution whose filters read one channel each, with a bias or without one.
template <class T>
struct DepthwiseResult {
  Window window;
  Planes<const T> from;
  const T* weight;  // (filter, tap)
  const T* bias;    // (filter,) or null
  Planes<T> to;
  int each;  // filters of a channel

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    const Window& w = window;
    const int columns = w.kernel[2];
    const T* taps = weight + static_cast<int64_t>(p.c) * w.taps;
    const T* const channel = from.at(p.n, each == 1 ? p.c : p.c / each, 0, 0, 0);
    C sum = bias != nullptr ? load_element(bias[p.c]) : C{};
    for (int kz = 0; kz < w.kernel[0]; ++kz) {
      const int z = w.source(0, p.z, kz);
      for (int ky = 0; ky < w.kernel[1]; ++ky, taps += columns) {
        const int y = w.source(1, p.y, ky);
        if (!w.inside(0, z) || !w.inside(1, y)) continue;
        const T* const line = channel + z * from.z + y * from.y;
        for (int kx = 0; kx < columns; ++kx) {
          const int x = w.source(2, p.x, kx);
          if (w.inside(2, x)) sum += load_element(taps[kx]) * load_element(line[x * from.x]);
        }
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
  void row(const Place& p, int count) const requires(!is_half<T>) {
    const Window& w = window;
    T* const out = to.at(p);
    const T start = bias != nullptr ? bias[p.c] : T(0);
    for (int i = 0; i < count; ++i) out[i * to.x] = start;
    for (int tap = 0; tap < w.taps; ++tap) {
      const int kx = tap % w.kernel[2];
      const int z = w.source(0, p.z, tap / w.kernel[2] / w.kernel[1]);
      const int y = w.source(1, p.y, tap / w.kernel[2] % w.kernel[1]);
      int first = 0;
      int last = 0;
      w.range(2, kx, first, last);
      if (!w.inside(0, z) || !w.inside(1, y) || first == last) continue;
      const T factor = weight[static_cast<int64_t>(p.c) * w.taps + tap];
      const T* const in = from.at(p.n, p.c / each, z, y, w.source(2, first, kx));
      T* const at = out + first * to.x;
      const int64_t apart = w.stride[2] * from.x;
      const int n = last - first;
      if (apart == 1 && to.x == 1) {
        for (int i = 0; i < n; ++i) at[i] += factor * in[i];
      } else {
        for (int i = 0; i < n; ++i) at[i * to.x] += factor * in[i * apart];
      }
    }
  }
};

/// The gradient of its images.
template <class T>
struct DepthwiseImage {
  Window window;
  Planes<const T> from;  // the gradient of the results
  const T* weight;
  Planes<T> to;
  int each;

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    const Window& w = window;
    const int columns = w.kernel[2];
    C sum{};
    for (int filter = p.c * each; filter < (p.c + 1) * each; ++filter) {
      const T* taps = weight + static_cast<int64_t>(filter) * w.taps;
      const T* const upstream = from.at(p.n, filter, 0, 0, 0);
      for (int kz = 0; kz < w.kernel[0]; ++kz) {
        int z = 0;
        const bool in_plane = w.target(0, p.z, kz, z);
        for (int ky = 0; ky < w.kernel[1]; ++ky, taps += columns) {
          int y = 0;
          if (!w.target(1, p.y, ky, y) || !in_plane) continue;
          const T* const line = upstream + z * from.z + y * from.y;
          for (int kx = 0; kx < columns; ++kx) {
            int x = 0;
            if (!w.target(2, p.x, kx, x)) continue;
            sum += load_element(taps[kx]) * load_element(line[x * from.x]);
          }
        }
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
  void row(const Place& p, int count) const requires(!is_half<T>) {
    T* const out = to.at(p);
    for (int i = 0; i < count; ++i) out[i * to.x] = T(0);
    for (int filter = p.c * each; filter < (p.c + 1) * each; ++filter) {
      const T* const taps = weight + static_cast<int64_t>(filter) * window.taps;
      add_row(window, p, out, to.x, [&](int tap, int z, int y) {
        return Line<T>{from.at(p.n, filter, z, y, 0), from.x, taps[tap]};
      });
    }
  }
};

}  // namespace weft::conv
