// conv::IntoColumns, conv::FromColumns: what a kernel sees at each place as a column of a matrix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/problem.hpp"

namespace weft::conv {

/// How a convolution's kernel moves over an image.
struct Window {
  int in[3];
  int out[3];
  int kernel[3];
  int stride[3];
  int padding[3];
  int dilation[3];
  int taps;

  Window() = default;
  explicit Window(const Problem& p) : taps(static_cast<int>(p.taps())) {
    for (int i = 0; i < 3; ++i) {
      in[i] = static_cast<int>(p.in[i]);
      out[i] = static_cast<int>(p.out[i]);
      kernel[i] = static_cast<int>(p.kernel[i]);
      stride[i] = static_cast<int>(p.stride[i]);
      padding[i] = static_cast<int>(p.padding[i]);
      dilation[i] = static_cast<int>(p.dilation[i]);
    }
  }

  /// Where along an axis a tap reads for result `o`.
  WEFT_HD int source(int axis, int o, int tap) const {
    return o * stride[axis] - padding[axis] + tap * dilation[axis];
  }
  /// Whether some result reads place i by that tap, and which.
  WEFT_HD bool target(int axis, int i, int tap, int& o) const {
    const int at = i + padding[axis] - tap * dilation[axis];
    o = stride[axis] == 1 ? at : at / stride[axis];
    return at >= 0 && o * stride[axis] == at && o < out[axis];
  }
  WEFT_HD bool inside(int axis, int i) const { return i >= 0 && i < in[axis]; }
  /// The results [first, last) of an axis whose tap reads inside of the image.
  void range(int axis, int tap, int& first, int& last) const {
    const int start = tap * dilation[axis] - padding[axis];
    first = start >= 0 ? 0 : (-start + stride[axis] - 1) / stride[axis];
    const int room = in[axis] - 1 - start;
    last = room < 0 ? 0 : room / stride[axis] + 1;
    if (last > out[axis]) last = out[axis];
    if (first > last) first = last;
  }
};

/// Writes to columns[channel * taps + tap, n, place] what the tap reads there, zeros outside;
/// places are counted as in a volume with channels * taps channels.
template <class T>
struct IntoColumns {
  static constexpr int neighbours = sizeof(T) < 8 ? 4 : 2;  // along x, that a GPU's thread copies

  Window window;
  Planes<const T> from;
  T* to;
  int64_t step;   // from a row of the matrix to the next
  int64_t image;  // from an image's columns to the next's

  WEFT_HD T* target(const Place& p) const {
    return to + p.c * step + p.n * image +
           (static_cast<int64_t>(p.z) * window.out[1] + p.y) * window.out[2] + p.x;
  }
  struct Source {
    int channel, z, y, tap;
    bool inside;
  };
  WEFT_HD Source source(const Place& p) const {
    const Window& w = window;
    const int channel = p.c / w.taps;
    int tap = p.c - channel * w.taps;
    const int rows = tap / w.kernel[2];
    tap -= rows * w.kernel[2];
    const int kz = rows / w.kernel[1];
    const int z = w.source(0, p.z, kz);
    const int y = w.source(1, p.y, rows - kz * w.kernel[1]);
    return {channel, z, y, tap, w.inside(0, z) && w.inside(1, y)};
  }

  static bool takes_neighbours() { return true; }
  WEFT_HD int64_t step_of_targets() const { return 1; }
  WEFT_HD void operator()(const Place& p) const {
    T value[1];
    compute(p, value);
    *target(p) = value[0];
  }
  /// What goes to the places from p on along x.
  template <int V>
  WEFT_HD void compute(const Place& p, T (&out)[V]) const {
    const Source s = source(p);
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      const int x = window.source(2, p.x + v, s.tap);
      const bool reads = s.inside && window.inside(2, x);
      out[v] = reads ? *from.at(p.n, s.channel, s.z, s.y, x) : T(0);
    }
  }
  void row(const Place& p, int count) const {
    const Source s = source(p);
    T* const out = target(p);
    int first = 0;
    int last = 0;
    if (s.inside) window.range(2, s.tap, first, last);
    for (int i = 0; i < first; ++i) out[i] = T(0);
    if (last > first) {
      const T* const in = from.at(p.n, s.channel, s.z, s.y, window.source(2, first, s.tap));
      const int64_t between = from.x * window.stride[2];
      if (between == 1) {
        __builtin_memcpy(out + first, in, sizeof(T) * static_cast<std::size_t>(last - first));
      } else {
        for (int i = first; i < last; ++i) out[i] = in[(i - first) * between];
      }
    }
    for (int i = last; i < count; ++i) out[i] = T(0);
  }
};

/// A row of numbers, and what they are multiplied by.
template <class T>
struct Line {
  const T* at;
  int64_t step;
  T factor;
};

/// Adds to a row of an image, for each tap, line(tap, z, y) of the results that it goes to.
template <class T, class F>
void add_row(const Window& w, const Place& p, T* out, int64_t between, const F& line) {
  for (int tap = 0; tap < w.taps; ++tap) {
    const int kx = tap % w.kernel[2];
    const int ky = tap / w.kernel[2] % w.kernel[1];
    int z = 0;
    int y = 0;
    if (!w.target(0, p.z, tap / w.kernel[2] / w.kernel[1], z) || !w.target(1, p.y, ky, y)) continue;
    int first = 0;
    int last = 0;
    w.range(2, kx, first, last);
    if (first == last) continue;
    const Line<T> from = line(tap, z, y);
    T* const to = out + w.source(2, first, kx) * between;
    const T* const in = from.at + first * from.step;
    const int64_t apart = w.stride[2] * between;
    const int n = last - first;
    if (apart == 1 && from.step == 1) {
      for (int i = 0; i < n; ++i) to[i] += from.factor * in[i];
    } else {
      for (int i = 0; i < n; ++i) to[i * apart] += from.factor * in[i * from.step];
    }
  }
}

/// Writes to each place of an image the sum of its entries in columns made by IntoColumns: the
/// gradient of IntoColumns.
template <class T>
struct FromColumns {
  Window window;
  const T* from;
  Planes<T> to;
  int64_t step;
  int64_t image;

  WEFT_HD void operator()(const Place& p) const {
    using C = compute_t<T>;
    const Window& w = window;
    const T* matrix = from + p.n * image + static_cast<int64_t>(p.c) * w.taps * step;
    C sum{};
    for (int kz = 0; kz < w.kernel[0]; ++kz) {
      int z = 0;
      if (!w.target(0, p.z, kz, z)) continue;
      for (int ky = 0; ky < w.kernel[1]; ++ky) {
        int y = 0;
        if (!w.target(1, p.y, ky, y)) continue;
        for (int kx = 0; kx < w.kernel[2]; ++kx) {
          int x = 0;
          if (!w.target(2, p.x, kx, x)) continue;
          const int tap = (kz * w.kernel[1] + ky) * w.kernel[2] + kx;
          sum += load_element(
              matrix[tap * step + (static_cast<int64_t>(z) * w.out[1] + y) * w.out[2] + x]);
        }
      }
    }
    *to.at(p) = static_cast<T>(sum);
  }
  /// Half types would be rounded at each addition.
  void row(const Place& p, int count) const requires(!is_half<T>) {
    T* const out = to.at(p);
    for (int i = 0; i < count; ++i) out[i * to.x] = T(0);
    const T* matrix = from + p.n * image + static_cast<int64_t>(p.c) * window.taps * step;
    add_row(window, p, out, to.x, [&](int tap, int z, int y) {
      return Line<T>{
          matrix + tap * step + (static_cast<int64_t>(z) * window.out[1] + y) * window.out[2], 1,
          T(1)};
    });
  }
};

}  // namespace weft::conv
