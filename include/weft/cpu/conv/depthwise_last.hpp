// Depthwise convolutions of channels-last images on the CPU: loops over channels side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/conv/run.hpp"

namespace weft {

/// For one filter a channel, of floats and doubles.
template <>
struct DepthwiseLast<Cpu> {
  template <class T, class D>
  static bool results(const char*, const conv::Problem& p, const Tensor<T, D>& x,
                      const Tensor<T, D>& w, const Tensor<T, D>* bias, const Tensor<T, D>& y) {
    if (!takes<T>(p)) return false;
    const conv::Window window(p);
    const Tensor<T, D> turned = turned_filters(w, p);
    const conv::Planes<const T> from(x);
    const conv::Planes<T> to(y);
    const int64_t channels = p.channels;
    const T* const start = bias != nullptr ? bias->data() : nullptr;
    each_place(p.images, window.out, y.size() * window.taps, [&](int n, int z, int y0, int x0) {
      T* const out = to.at(n, 0, z, y0, x0);
      for (int64_t c = 0; c < channels; ++c) out[c] = start != nullptr ? start[c] : T(0);
      each_tap(window, [&](int tap, int kz, int ky, int kx) {
        const int iz = window.source(0, z, kz);
        const int iy = window.source(1, y0, ky);
        const int ix = window.source(2, x0, kx);
        if (!window.inside(0, iz) || !window.inside(1, iy) || !window.inside(2, ix)) return;
        add(channels, from.at(n, 0, iz, iy, ix), turned.data() + tap * channels, out);
      });
    });
    y.storage()->bump_version();
    return true;
  }

  template <class T, class D>
  static bool images(const char*, const conv::Problem& p, const Tensor<T, D>& g,
                     const Tensor<T, D>& w, const Tensor<T, D>& dx) {
    if (!takes<T>(p)) return false;
    const conv::Window window(p);
    const Tensor<T, D> turned = turned_filters(w, p);
    const conv::Planes<const T> from(g);
    const conv::Planes<T> to(dx);
    const int64_t channels = p.channels;
    each_place(p.images, window.in, dx.size() * window.taps, [&](int n, int z, int y, int x) {
      T* const out = to.at(n, 0, z, y, x);
      for (int64_t c = 0; c < channels; ++c) out[c] = T(0);
      each_tap(window, [&](int tap, int kz, int ky, int kx) {
        int oz = 0;
        int oy = 0;
        int ox = 0;
        if (!window.target(0, z, kz, oz) || !window.target(1, y, ky, oy) ||
            !window.target(2, x, kx, ox)) {
          return;
        }
        add(channels, from.at(n, 0, oz, oy, ox), turned.data() + tap * channels, out);
      });
    });
    dx.storage()->bump_version();
    return true;
  }

  /// The gradient of the filters (filter, tap): sums of up to 16 groups of images, so that the bits
  /// depend on the shape alone.
  template <class T, class D>
  static bool weights(const conv::Problem& p, const Tensor<T, D>& x, const Tensor<T, D>& g,
                      const Tensor<T, D>& dw) {
    if (!takes<T>(p)) return false;
    const conv::Window window(p);
    const conv::Planes<const T> from(x);
    const conv::Planes<const T> up(g);
    const int64_t channels = p.channels;
    const int64_t each = (p.images + 15) / 16;
    const int64_t groups = (p.images + each - 1) / each;
    const Tensor<T, D> parts =
        detail::Access::allocate<T, D>({groups, window.taps, channels}, x.device());
    cpu::parallel(groups, g.size() * window.taps, [&](int64_t first, int64_t last) {
      for (int64_t group = first; group < last; ++group) {
        T* const sums = parts.data() + group * window.taps * channels;
        for (int64_t i = 0; i < window.taps * channels; ++i) sums[i] = T(0);
        const int64_t end = (group + 1) * each < p.images ? (group + 1) * each : p.images;
        for (int64_t n = group * each; n < end; ++n) {
          for (int z = 0; z < window.out[0]; ++z) {
            for (int y = 0; y < window.out[1]; ++y) {
              for (int at = 0; at < window.out[2]; ++at) {
                const T* const upstream = up.at(n, 0, z, y, at);
                each_tap(window, [&](int tap, int kz, int ky, int kx) {
                  const int iz = window.source(0, z, kz);
                  const int iy = window.source(1, y, ky);
                  const int ix = window.source(2, at, kx);
                  if (!window.inside(0, iz) || !window.inside(1, iy) || !window.inside(2, ix)) {
                    return;
                  }
                  add(channels, from.at(n, 0, iz, iy, ix), upstream, sums + tap * channels);
                });
              }
            }
          }
        }
      }
    });
    T* const to = dw.data();
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t tap = 0; tap < window.taps; ++tap) {
        compute_t<T> sum{};
        for (int64_t i = 0; i < groups; ++i) {
          sum += load_element(parts.data()[(i * window.taps + tap) * channels + c]);
        }
        to[c * window.taps + tap] = static_cast<T>(sum);
      }
    }
    dw.storage()->bump_version();
    return true;
  }

 private:
  template <class T>
  static bool takes(const conv::Problem& p) {
    return !is_half<T> && p.filters == p.channels;
  }
  /// (filter, tap) as (tap, filter).
  template <class T, class D>
  static Tensor<T, D> turned_filters(const Tensor<T, D>& w, const conv::Problem& p) {
    const Tensor<T, D> turned = detail::Access::allocate<T, D>({p.taps(), p.filters}, w.device());
    for (int64_t c = 0; c < p.filters; ++c) {
      for (int64_t tap = 0; tap < p.taps(); ++tap) {
        turned.data()[tap * p.filters + c] = w.data()[c * p.taps() + tap];
      }
    }
    return turned;
  }
  /// sums += a * b, element by element: a function of its own, so that only it is compiled for
  /// several instruction sets.
  template <class T>
  [[gnu::noinline]] static void add(int64_t count, const T* a, const T* b, T* sums) {
    cpu::run_loop([=]() __attribute__((always_inline)) {
      for (int64_t c = 0; c < count; ++c) {
        sums[c] = static_cast<T>(load_element(sums[c]) + load_element(a[c]) * load_element(b[c]));
      }
    });
  }
  template <class F>
  static void each_tap(const conv::Window& w, const F& f) {
    int tap = 0;
    for (int kz = 0; kz < w.kernel[0]; ++kz) {
      for (int ky = 0; ky < w.kernel[1]; ++ky) {
        for (int kx = 0; kx < w.kernel[2]; ++kx, ++tap) f(tap, kz, ky, kx);
      }
    }
  }
  /// Calls f(image, z, y, x), rows of places shared among threads.
  template <class F>
  static void each_place(int64_t images, const int* size, int64_t work, const F& f) {
    const int64_t rows = images * size[0] * size[1];
    cpu::parallel(rows, work, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        const auto y = static_cast<int>(row % size[1]);
        const auto z = static_cast<int>(row / size[1] % size[0]);
        const auto n = static_cast<int>(row / size[1] / size[0]);
        for (int x = 0; x < size[2]; ++x) f(n, z, y, x);
      }
    });
  }
};

}  // namespace weft
