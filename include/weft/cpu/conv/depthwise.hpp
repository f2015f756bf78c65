// Depthwise convolutions on the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/conv/depthwise_blocks.hpp"
#include "weft/ops/conv/run.hpp"

namespace weft {

/// For one filter a channel, of floats and doubles.
template <>
struct DepthwiseLast<Cpu> {
  template <class T, class D>
  static bool results(const char*, const conv::Problem& p, const Tensor<T, D>& x,
                      const Tensor<T, D>& w, const Tensor<T, D>* bias, const Tensor<T, D>& y) {
    return gather(p, false, x, w, bias, y);
  }
  template <class T, class D>
  static bool images(const char*, const conv::Problem& p, const Tensor<T, D>& g,
                     const Tensor<T, D>& w, const Tensor<T, D>& dx) {
    return gather<T, D>(p, true, g, w, nullptr, dx);
  }

 private:
  template <class T, class D>
  static bool gather(const conv::Problem& p, bool back, const Tensor<T, D>& from,
                     const Tensor<T, D>& w, const Tensor<T, D>* bias, const Tensor<T, D>& to) {
    if constexpr (is_half<T>) {
      return false;
    } else {
      if (p.filters != p.channels) return false;
      cpu::DepthwiseBlocks<T>(p).gather(back, conv::Planes<T>(from), w.data(),
                                        bias != nullptr ? bias->data() : nullptr,
                                        conv::Planes<T>(to));
      to.storage()->bump_version();
      return true;
    }
  }
};
template <>
struct DepthwisePlanes<Cpu> : DepthwiseLast<Cpu> {};

template <>
struct DepthwiseWeights<Cpu> {
  template <class T>
  static void run(const char*, const conv::Problem& p, const Tensor<T, Cpu>& x,
                  const Tensor<T, Cpu>& g, const Tensor<T, Cpu>& dw) {
    if constexpr (!is_half<T>) {
      if (p.filters == p.channels && is_channels_last(x) == is_channels_last(g)) {
        cpu::DepthwiseBlocks<T>(p).weights(conv::Planes<T>(x), conv::Planes<T>(g), dw.data());
        dw.storage()->bump_version();
        return;
      }
    }
    const conv::Window w(p);
    const conv::Planes<const T> from(x);
    const conv::Planes<const T> upstream(g);
    const auto each = static_cast<int>(p.filters / p.channels);
    cpu::parallel(p.filters, g.size() * p.taps(), [&](int64_t first, int64_t last) {
      for (int64_t filter = first; filter < last; ++filter) {
        for (int tap = 0; tap < w.taps; ++tap) {
          dw.data()[filter * w.taps + tap] =
              static_cast<T>(sum(p, w, from, upstream, static_cast<int>(filter), each, tap));
        }
      }
    });
  }

 private:
  /// Sums, over all images and places of a filter, what a tap reads times the gradient there; rows
  /// in eight lanes.
  template <class T>
  static compute_t<T> sum(const conv::Problem& p, const conv::Window& w,
                          const conv::Planes<const T>& x, const conv::Planes<const T>& g,
                          int filter, int each, int tap) {
    using C = compute_t<T>;
    const int kx = tap % w.kernel[2];
    const int ky = tap / w.kernel[2] % w.kernel[1];
    const int kz = tap / w.kernel[2] / w.kernel[1];
    int first = 0;
    int last = 0;
    w.range(2, kx, first, last);
    const int64_t step = x.x * w.stride[2];
    C lanes[8] = {};
    for (int n = 0; n < p.images; ++n) {
      for (int oz = 0; oz < w.out[0]; ++oz) {
        const int z = w.source(0, oz, kz);
        for (int oy = 0; oy < w.out[1] && w.inside(0, z); ++oy) {
          const int y = w.source(1, oy, ky);
          if (!w.inside(1, y) || first == last) continue;
          const T* const in = x.at(n, filter / each, z, y, w.source(2, first, kx));
          const T* const up = g.at(n, filter, oz, oy, first);
          for (int i = 0; i < last - first; ++i) {
            lanes[i % 8] += load_element(in[i * step]) * load_element(up[i * g.x]);
          }
        }
      }
    }
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
};

}  // namespace weft
