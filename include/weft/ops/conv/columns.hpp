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

/// Writes to columns[channel * taps + tap, n, place] what the tap reads there, zeros outside. It
/// visits volume(): a plane's z counts the taps, and the places along z for each of them.
template <class T>
struct IntoColumns {
  static constexpr int neighbours = sizeof(T) < 8 ? 4 : 2;

  Window window;
  Planes<const T> from;
  T* to;
  int64_t step;   // from a row of the matrix to the next
  int64_t image;  // from an image's columns to the next's

  Volume volume(int64_t images, int64_t channels) const {
    return {images, channels, {int64_t{window.taps} * window.out[0], window.out[1], window.out[2]}};
  }
  WEFT_HD T* target(const Plane& p) const {
    return to + static_cast<int64_t>(p.c) * window.taps * step + static_cast<int64_t>(p.n) * image;
  }
  WEFT_HD int64_t within(const Place& p) const {
    const int tap = p.z / window.out[0];
    const int z = p.z - tap * window.out[0];
    return tap * step + (static_cast<int64_t>(z) * window.out[1] + p.y) * window.out[2] + p.x;
  }

  template <int V>
  struct Looked {
    int64_t at;      // from a plane's first element to what the first place reads
    bool inside[V];  // whether there is such an element
  };
  template <int V>
  WEFT_HD Looked<V> look(const Place& p) const {
    const Source s = source(p);
    const int x = window.source(2, p.x, s.kx);
    Looked<V> seen{from.within(s.z, s.y, x), {}};
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      seen.inside[v] = s.inside && window.inside(2, x + v * window.stride[2]);
    }
    return seen;
  }
  bool takes_neighbours() const { return from.x == 1 && window.stride[2] == 1; }
  template <int V>
  WEFT_HD void compute(const Looked<V>& seen, const Plane& plane, T (&out)[V]) const {
    const T* const line = from.at(plane) + seen.at;
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) out[v] = seen.inside[v] ? line[v] : T(0);
  }

  void row(const Place& p, int count) const {
    const Source s = source(p);
    const Plane plane{static_cast<unsigned>(p.n), static_cast<unsigned>(p.c)};
    T* const out = target(plane) + within(p);
    int first = 0;
    int last = 0;
    if (s.inside) window.range(2, s.kx, first, last);
    for (int i = 0; i < first; ++i) out[i] = T(0);
    if (last > first) {
      const T* const in = from.at(plane) + from.within(s.z, s.y, window.source(2, first, s.kx));
      const int64_t between = from.x * window.stride[2];
      if (between == 1) {
        __builtin_memcpy(out + first, in, sizeof(T) * static_cast<std::size_t>(last - first));
      } else {
        for (int i = first; i < last; ++i) out[i] = in[(i - first) * between];
      }
    }
    for (int i = last; i < count; ++i) out[i] = T(0);
  }

 private:
  /// The line that a row of results reads, and the tap's place in it.
  struct Source {
    int z, y, kx;
    bool inside;
  };
  WEFT_HD Source source(const Place& p) const {
    const Window& w = window;
    const int tap = p.z / w.out[0];
    const int rows = tap / w.kernel[2];
    const int kz = rows / w.kernel[1];
    const int z = w.source(0, p.z - tap * w.out[0], kz);
    const int y = w.source(1, p.y, rows - kz * w.kernel[1]);
    return {z, y, tap - rows * w.kernel[2], w.inside(0, z) && w.inside(1, y)};
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

  template <int V>
  WEFT_HD Place look(const Place& p) const {
    return p;
  }
  WEFT_HD T* target(const Plane& p) const { return to.at(p); }
  WEFT_HD int64_t within(const Place& p) const { return to.within(p); }
  WEFT_HD void compute(const Place& p, const Plane& plane, T (&out)[1]) const {
    const Window& w = window;
    const T* matrix = columns(plane);
    compute_t<T> sum{};
    for (int kz = 0; kz < w.kernel[0]; ++kz) {
      for (int ky = 0; ky < w.kernel[1]; ++ky, matrix += w.kernel[2] * step) {
        int z = 0;
        int y = 0;
        if (!w.target(0, p.z, kz, z) || !w.target(1, p.y, ky, y)) continue;
        const T* tap = matrix + (static_cast<int64_t>(z) * w.out[1] + y) * w.out[2];
        for (int kx = 0; kx < w.kernel[2]; ++kx, tap += step) {
          int x = 0;
          if (w.target(2, p.x, kx, x)) sum += load_element(tap[x]);
        }
      }
    }
    out[0] = static_cast<T>(sum);
  }
  /// Half types would be rounded at each addition.
  void row(const Place& p, int count) const requires(!is_half<T>) {
    T* const out = to.at(p);
    for (int i = 0; i < count; ++i) out[i * to.x] = T(0);
    const T* const matrix = columns({static_cast<unsigned>(p.n), static_cast<unsigned>(p.c)});
    add_row(window, p, out, to.x, [&](int tap, int z, int y) {
      return Line<T>{
          matrix + tap * step + (static_cast<int64_t>(z) * window.out[1] + y) * window.out[2], 1,
          T(1)};
    });
  }

 private:
  WEFT_HD const T* columns(const Plane& p) const {
    return from + static_cast<int64_t>(p.n) * image +
           static_cast<int64_t>(p.c) * window.taps * step;
  }
};

}  // namespace weft::conv
