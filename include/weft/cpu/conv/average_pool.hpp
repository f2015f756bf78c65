// Averages of whole images on the CPU, and their gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/conv/pool_run.hpp"

namespace weft {

/// One average of each whole image, as networks take at their end and in squeeze-and-excitation.
template <>
struct AvgPoolKernels<Cpu> {
  template <class T, class D>
  static bool average(const pool::Window& w, const Tensor<T, D>& x, const Tensor<T, D>& y) {
    using C = compute_t<T>;
    const conv::Planes<const T> from(x);
    const conv::Planes<T> to(y);
    if (!pool::is_whole(w, from, x)) return false;
    const Share share(x.shape(), from.are_channels_adjacent());
    const auto by = static_cast<C>(share.places);
    cpu::parallel(share.units, x.size(), [&](int64_t first, int64_t past) {
      cpu::run_loop([&] {
        for (int64_t unit = first; unit < past; ++unit) {
          const T* const in = from.data + share.offset(unit, from.n, from.c);
          T* const out = to.data + share.offset(unit, to.n, to.c);
          C sums[most] = {};
          if (share.last) {
            const int64_t count = share.count(unit);
            for (int64_t i = 0; i < share.places; ++i) {
              const T* const line = in + i * share.channels;
              for (int64_t k = 0; k < count; ++k) sums[k] += load_element(line[k]);
            }
            for (int64_t k = 0; k < count; ++k) out[k * to.c] = static_cast<T>(sums[k] / by);
            continue;
          }
          constexpr int64_t lanes = 16;
          int64_t i = 0;
          for (; i + lanes <= share.places; i += lanes) {
            for (int64_t k = 0; k < lanes; ++k) sums[k] += load_element(in[i + k]);
          }
          for (; i < share.places; ++i) sums[i % lanes] += load_element(in[i]);
          for (int64_t step = lanes / 2; step > 0; step /= 2) {
            for (int64_t k = 0; k < step; ++k) sums[k] += sums[k + step];
          }
          *out = static_cast<T>(sums[0] / by);
        }
      });
    });
    y.storage()->bump_version();
    return true;
  }

  template <class T, class D>
  static bool gradient(const pool::Window& w, const Tensor<T, D>& g, const Tensor<T, D>& dx) {
    using C = compute_t<T>;
    const conv::Planes<const T> from(g);
    const conv::Planes<T> to(dx);
    if (!pool::is_whole(w, to, dx)) return false;
    const Share share(dx.shape(), to.are_channels_adjacent());
    const auto by = static_cast<C>(share.places);
    cpu::parallel(share.units, dx.size(), [&](int64_t first, int64_t past) {
      cpu::run_loop([&] {
        for (int64_t unit = first; unit < past; ++unit) {
          const T* const up = from.data + share.offset(unit, from.n, from.c);
          T* const out = to.data + share.offset(unit, to.n, to.c);
          if (share.last) {
            const int64_t count = share.count(unit);
            T parts[most];
            for (int64_t k = 0; k < count; ++k) {
              parts[k] = static_cast<T>(load_element(up[k * from.c]) / by);
            }
            for (int64_t i = 0; i < share.places; ++i) {
              T* const line = out + i * share.channels;
              for (int64_t k = 0; k < count; ++k) line[k] = parts[k];
            }
            continue;
          }
          const T part = static_cast<T>(load_element(*up) / by);
          for (int64_t i = 0; i < share.places; ++i) out[i] = part;
        }
      });
    });
    dx.storage()->bump_version();
    return true;
  }

 private:
  static constexpr int most = 64;

  /// Images shared among threads: by channel, channels-last by up to `most` of them.
  struct Share {
    int64_t places;
    int64_t channels;
    bool last;
    int64_t block;
    int64_t blocks;
    int64_t units;

    Share(const Shape& shape, bool channels_adjacent)
        : places(1),
          channels(shape[1]),
          last(channels_adjacent),
          block(channels_adjacent ? most : 1) {
      for (int i = 2; i < shape.rank(); ++i) places *= shape[i];
      blocks = (channels + block - 1) / block;
      units = shape[0] * blocks;
    }
    int64_t count(int64_t unit) const {
      const int64_t left = channels - unit % blocks * block;
      return left < block ? left : block;
    }
    int64_t offset(int64_t unit, int64_t n, int64_t c) const {
      return unit / blocks * n + unit % blocks * block * c;
    }
  };
};

}  // namespace weft
