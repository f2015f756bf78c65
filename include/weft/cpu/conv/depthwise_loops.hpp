// The loops of depthwise convolutions on the CPU: over places, with channels side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/ops/conv/columns.hpp"

namespace weft::cpu::detail {

/// Some channels that a loop has in its registers: `vectors` times side_by_side<T>, of which
/// `count` exist.
struct ChannelBlock {
  int64_t first;
  int64_t count;
  int vectors;
};

/// Channels in a vector.
template <class T>
inline constexpr int side_by_side = static_cast<int>(32 / sizeof(T));

/// Channels in blocks of four vectors, with smaller ones for the rest.
template <class T>
struct ChannelBlocks {
  int64_t channels;
  int64_t whole;
  int64_t rest;  // vectors behind them

  explicit ChannelBlocks(int64_t all)
      : channels(all),
        whole(all / (4 * side_by_side<T>)),
        rest((all - whole * 4 * side_by_side<T> + side_by_side<T> - 1) / side_by_side<T>) {}
  int64_t count() const { return whole + (rest == 0 ? 0 : rest == 3 ? 2 : 1); }
  int64_t padded() const { return (whole * 4 + rest) * side_by_side<T>; }
  ChannelBlock at(int64_t i) const {
    if (i < whole) return {i * 4 * side_by_side<T>, 4 * side_by_side<T>, 4};
    const bool second = i > whole;
    const int64_t first = (whole * 4 + (second ? 2 : 0)) * side_by_side<T>;
    const int vectors = second ? 1 : rest == 3 ? 2 : static_cast<int>(rest);
    const int64_t left = channels - first;
    return {first, left < vectors * side_by_side<T> ? left : vectors * side_by_side<T>, vectors};
  }
};

/// The places of a block of channels in memory, rows from `y0` on.
template <class T>
struct ChannelLines {
  T* data = nullptr;
  int64_t plane = 0;
  int64_t row = 0;
  int64_t place = 0;
  int y0 = 0;

  T* at(int z, int y, int x) const { return data + z * plane + (y - y0) * row + x * place; }
};

/// What a result, or with `back` an image's gradient, is summed from along an axis: `count` taps
/// from `tap` on that read from `source` on.
struct Reach {
  int count = 0;
  int tap = 0;
  int source = 0;
};
struct ReachSteps {
  int tap = 1;
  int source = 1;

  ReachSteps() = default;
  ReachSteps(const conv::Window& w, int axis, bool back) : source(w.dilation[axis]) {
    if (!back) return;
    int common = w.stride[axis];
    for (int b = w.dilation[axis]; b != 0;) {
      const int rest = common % b;
      common = b;
      b = rest;
    }
    tap = w.stride[axis] / common;
    source = -w.dilation[axis] / common;
  }
};
inline Reach reach_of(const conv::Window& w, int axis, int at, bool back) {
  Reach out;
  for (int k = 0; k < w.kernel[axis]; ++k) {
    int from = back ? 0 : w.source(axis, at, k);
    if (!(back ? w.target(axis, at, k, from) : w.inside(axis, from))) continue;
    if (out.count++ == 0) {
      out.tap = k;
      out.source = from;
    }
  }
  return out;
}

/// One row of results, or of an image's gradient, for a block of channels.
template <class T>
struct DepthwiseRow {
  ChannelLines<const T> from;
  const T* filters;  // the block's, a row for each tap
  int64_t pitch;     // from a tap to the next
  const T* start;    // what each sum starts with
  const int* kernel;
  Reach z;
  Reach y;
  const Reach* x;
  ReachSteps step[3];
  int count;
  T* to;
  int64_t place;

  template <int V>
  [[gnu::noinline]] void run() const {
    run_loop([this]() WEFT_ALWAYS_INLINE {
      typedef T Vector __attribute__((vector_size(32)));
      const int64_t source_step = step[2].source * from.place;
      const int64_t tap_step = step[2].tap * pitch;
      for (int i = 0; i < count; ++i) {
        Vector sum[V];
        __builtin_memcpy(sum, start, sizeof(sum));
        for (int a = 0; a < z.count; ++a) {
          for (int b = 0; b < y.count; ++b) {
            const T* in =
                from.at(z.source + a * step[0].source, y.source + b * step[1].source, x[i].source);
            const int tap = (z.tap + a * step[0].tap) * kernel[1] + y.tap + b * step[1].tap;
            const T* factor = filters + (tap * kernel[2] + x[i].tap) * pitch;
            for (int c = 0; c < x[i].count; ++c, in += source_step, factor += tap_step) {
              WEFT_UNROLL
              for (int v = 0; v < V; ++v) {
                Vector left, right;
                __builtin_memcpy(&left, in + v * side_by_side<T>, sizeof(Vector));
                __builtin_memcpy(&right, factor + v * side_by_side<T>, sizeof(Vector));
                sum[v] += left * right;
              }
            }
          }
        }
        __builtin_memcpy(to + i * place, sum, sizeof(sum));
      }
    });
  }
};

/// Adds to a block's filters the gradient that rows [first, past) of results give them.
template <class T>
struct DepthwiseFilters {
  ChannelLines<const T> images;
  ChannelLines<const T> results;
  const conv::Window* window;
  int first;
  int past;
  T* to;          // a row for each tap
  int64_t pitch;  // from a tap to the next

  template <int V>
  [[gnu::noinline]] void run() const {
    run_loop([this]() WEFT_ALWAYS_INLINE {
      typedef T Vector __attribute__((vector_size(32)));
      const conv::Window& w = *window;
      const int64_t image_step = w.stride[2] * images.place;
      for (int tap = 0; tap < w.taps; ++tap) {
        const int kx = tap % w.kernel[2];
        const int ky = tap / w.kernel[2] % w.kernel[1];
        const int kz = tap / w.kernel[2] / w.kernel[1];
        int left, right, top, bottom, front, behind;
        w.range(0, kz, front, behind);
        w.range(1, ky, top, bottom);
        w.range(2, kx, left, right);
        if (top < first) top = first;
        if (bottom > past) bottom = past;
        Vector sum[V];
        __builtin_memcpy(sum, to + tap * pitch, sizeof(sum));
        for (int z = front; z < behind; ++z) {
          for (int y = top; y < bottom; ++y) {
            const T* in = images.at(w.source(0, z, kz), w.source(1, y, ky), w.source(2, left, kx));
            const T* up = results.at(z, y, left);
            for (int x = left; x < right; ++x, in += image_step, up += results.place) {
              WEFT_UNROLL
              for (int v = 0; v < V; ++v) {
                Vector a, b;
                __builtin_memcpy(&a, in + v * side_by_side<T>, sizeof(Vector));
                __builtin_memcpy(&b, up + v * side_by_side<T>, sizeof(Vector));
                sum[v] += a * b;
              }
            }
          }
        }
        __builtin_memcpy(to + tap * pitch, sum, sizeof(sum));
      }
    });
  }
};

/// Runs a loop for the vectors of a block.
template <class F>
void run_block(const F& f, int vectors) {
  if (vectors == 4) {
    f.template run<4>();
  } else if (vectors == 2) {
    f.template run<2>();
  } else {
    f.template run<1>();
  }
}

}  // namespace weft::cpu::detail
