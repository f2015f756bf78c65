// Max pooling on the CPU without branches on the data, and its gradient by the places chosen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/conv/pool_run.hpp"

namespace weft {

namespace cpu::detail {

/// a if `take`, else b, by masks: a branch on which element is larger is guessed wrong half the
/// time.
template <class C>
WEFT_INLINE C chosen(bool take, C a, C b) {
  using Bits = std::conditional_t<sizeof(C) == 8, std::uint64_t, std::uint32_t>;
  const Bits mask = Bits(0) - static_cast<Bits>(take);
  return __builtin_bit_cast(
      C, static_cast<Bits>((__builtin_bit_cast(Bits, a) & mask) |
                           (__builtin_bit_cast(Bits, b) & static_cast<Bits>(~mask))));
}

/// Up to `most` results next to each other, along x or the channels.
template <class T>
struct PoolLanes {
  static constexpr int most = 64;
  using C = compute_t<T>;
  C best[most];
  std::int32_t found[most];  // the place in the image, -1 for none so far

  void reset(int count) {
    for (int i = 0; i < count; ++i) {
      best[i] = C(0);
      found[i] = -1;
    }
  }
  /// Offers lanes [first, last) the elements data[i * step], whose places are place + i * stride.
  /// NaN is larger than all others. Only this is compiled for several instruction sets.
  [[gnu::noinline]] void offer(int first, int last, const T* data, int64_t step, int place,
                               int stride) {
    run_loop([=, this]() WEFT_ALWAYS_INLINE {
      if (step == 1) {
        offer_each<1>(first, last, data, step, place, stride);
      } else if (step == 2) {
        offer_each<2>(first, last, data, step, place, stride);
      } else {
        offer_each<0>(first, last, data, step, place, stride);
      }
    });
  }
  template <class I>
  void store(int count, T* to, int64_t to_step, I* index, int64_t index_step) const {
    for (int i = 0; i < count; ++i) to[i * to_step] = static_cast<T>(best[i]);
    for (int i = 0; i < count && index != nullptr; ++i) {
      index[i * index_step] = static_cast<I>(found[i]);
    }
  }

 private:
  template <int Step>
  WEFT_ALWAYS_INLINE void offer_each(int first, int last, const T* data, int64_t step, int place,
                                     int stride) {
    for (int i = first; i < last; ++i) {
      const C value = load_element(data[i * (Step > 0 ? Step : step)]);
      const bool take =
          static_cast<bool>(static_cast<int>(found[i] < 0) | static_cast<int>(value > best[i]) |
                            static_cast<int>(value != value));
      best[i] = chosen(take, value, best[i]);
      found[i] = chosen(take, place + i * stride, found[i]);
    }
  }
};

/// The results of a pool::Largest at p and its neighbours, along x or the channels.
template <class T, class I>
struct PoolRow {
  const pool::Largest<T, I>& f;

  /// Results [first, first + count) of a row along x.
  void along_x(conv::Place p, int first, int count) const {
    const pool::Window& w = f.window;
    PoolLanes<T> some;
    some.reset(count);
    each_line(p, [&](int z, int y) {
      const T* const line = f.from.at(p.n, p.c, z, y, 0);
      for (int k = 0; k < w.kernel[2]; ++k) {
        const int shift = k * w.dilation[2] - w.padding[2];  // x = o * stride + shift
        const int stride = w.stride[2];
        const int from = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
        const int past = w.in[2] - 1 - shift < 0 ? 0 : (w.in[2] - 1 - shift) / stride + 1;
        const int begin = from > first ? from - first : 0;
        const int end = past - first < count ? past - first : count;
        const int place = (z * w.in[1] + y) * w.in[2] + first * stride + shift;
        const T* const data = line + (int64_t{first} * stride + shift) * f.from.x;
        const int64_t step = stride * f.from.x;
        some.offer(begin, end, data, step, place, stride);
      }
    });
    p.x = first;
    some.store(count, f.to.at(p), f.to.x, f.index.data != nullptr ? f.index.at(p) : nullptr,
               f.index.x);
  }
  /// The result at p of `count` channels from p.c on, which lie side by side.
  void along_channels(const conv::Place& p, int count) const {
    const pool::Window& w = f.window;
    PoolLanes<T> some;
    some.reset(count);
    int left, right;
    f.window.clip(2, p.x, left, right);
    each_line(p, [&](int z, int y) {
      for (int x = left; x < right; x += w.dilation[2]) {
        const int place = (z * w.in[1] + y) * w.in[2] + x;
        some.offer(0, count, f.from.at(p.n, p.c, z, y, x), 1, place, 0);
      }
    });
    some.store(count, f.to.at(p), 1, f.index.data != nullptr ? f.index.at(p) : nullptr, 1);
  }

 private:
  template <class G>
  void each_line(const conv::Place& p, const G& g) const {
    const pool::Window& w = f.window;
    int front, back, top, bottom;
    f.window.clip(0, p.z, front, back);
    f.window.clip(1, p.y, top, bottom);
    for (int z = front; z < back; z += w.dilation[0]) {
      for (int y = top; y < bottom; y += w.dilation[1]) g(z, y);
    }
  }
};

}  // namespace cpu::detail

template <>
struct MaxPoolKernels<Cpu> {
  template <class T, class I, class D>
  static bool largest(const char*, const pool::Window& w, const Tensor<T, D>& x,
                      const Tensor<T, D>& y, const Tensor<I, D>* index) {
    if (w.parts) return false;
    pool::Largest<T, I> f{w, conv::Planes<const T>(x), conv::Planes<T>(y), {}};
    if (index != nullptr) f.index = conv::Planes<I>(*index);
    constexpr int most = cpu::detail::PoolLanes<T>::most;
    const bool last = f.from.are_channels_adjacent();
    const auto channels = static_cast<int>(y.shape()[1]);
    // Rows along x, or, channels-last, places with all their channels.
    const int across = last ? channels : w.out[2];
    const int64_t rows = y.size() / across;
    const cpu::detail::PoolRow<T, I> row{f};
    cpu::parallel(rows, y.size() * w.kernel[0] * w.kernel[1] * w.kernel[2],
                  [&](int64_t first, int64_t past) {
                    for (int64_t i = first; i < past; ++i) {
                      conv::Place p;
                      int64_t rest = i;
                      const auto take = [&](int size) {
                        const auto digit = static_cast<int>(rest % size);
                        rest /= size;
                        return digit;
                      };
                      if (last) p.x = take(w.out[2]);
                      p.y = take(w.out[1]);
                      p.z = take(w.out[0]);
                      if (!last) p.c = take(channels);
                      p.n = static_cast<int>(rest);
                      for (int at = 0; at < across; at += most) {
                        const int count = across - at < most ? across - at : most;
                        if (last) {
                          p.c = at;
                          row.along_channels(p, count);
                        } else {
                          row.along_x(p, at, count);
                        }
                      }
                    }
                  });
    y.storage()->bump_version();
    if (index != nullptr) index->storage()->bump_version();
    return true;
  }

  /// Adds each result's gradient at the place that was chosen, in the order of the results. Half
  /// types would be rounded at each addition.
  template <class T, class I, class D>
  static bool gradient(const char*, const pool::Window& w, const Tensor<T, D>& g,
                       const Tensor<I, D>& index, const Tensor<T, D>& dx) {
    if (is_half<T>) return false;
    const conv::Planes<const T> from(g);
    const conv::Planes<const I> chosen(index);
    const conv::Planes<T> to(dx);
    const bool last = to.are_channels_adjacent();
    if (!last && (to.x != 1 || from.x != 1 || chosen.x != 1)) return false;
    constexpr int most = 64;
    const auto channels = static_cast<int>(dx.shape()[1]);
    const int block = !last ? 1 : channels < most ? channels : most;
    const int blocks = (channels + block - 1) / block;
    const int64_t units = dx.shape()[0] * blocks;
    if (units < num_threads()) return false;
    const int64_t places = int64_t{w.in[0]} * w.in[1] * w.in[2];
    const int64_t results = int64_t{w.out[0]} * w.out[1] * w.out[2];
    cpu::parallel(units, dx.size() + g.size(), [&](int64_t first, int64_t past) {
      for (int64_t unit = first; unit < past; ++unit) {
        const int64_t n = unit / blocks;
        const int64_t c = unit % blocks * block;
        const int64_t count = channels - c < block ? channels - c : block;
        T* const out = to.at(n, c, 0, 0, 0);
        const T* up = from.at(n, c, 0, 0, 0);
        const I* at = chosen.at(n, c, 0, 0, 0);
        const int64_t step = last ? channels : 1;
        for (int64_t i = 0; i < (last ? places : 1); ++i) {
          std::memset(static_cast<void*>(out + i * step), 0,
                      static_cast<std::size_t>(last ? count : places) * sizeof(T));
        }
        for (int64_t i = 0; i < results; ++i, up += step, at += step) {
          for (int64_t k = 0; k < count; ++k) {
            if (at[k] < 0) continue;
            T& sum = out[static_cast<int64_t>(at[k]) * step + k];
            sum = static_cast<T>(load_element(sum) + load_element(up[k]));
          }
        }
      }
    });
    dx.storage()->bump_version();
    return true;
  }
};

}  // namespace weft
