// Images on the CPU as rows of lanes that each belong to a channel, for batch norm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/ops/conv/memory_format.hpp"

namespace weft::cpu::detail {

/// Images (batch, channel, ...), contiguous or channels last, as blocks of channels whose elements
/// are visited in rows of up to `most` lanes. A lane belongs to the same channel in each row, so
/// that sums of lanes are loops over memory as it lies, however small an image is.
struct ChannelRows {
  static constexpr int most = 256;

  int64_t channels;
  int64_t block = 1;  // channels of a block, the last of which may have fewer
  int64_t blocks = 1;
  int64_t outer = 1;    // stretches of memory that a block lies in,
  int64_t apart = 0;    // their distance,
  int64_t length = 0;   // and the elements of one for each channel of the block
  int64_t each = 1;     // elements of a channel next to each other
  int64_t groups = 1;   // parts of a block that are summed separately, which the shape decides
  bool cycles = false;  // whether a row has all channels several times

  ChannelRows(const Shape& shape, bool last) : channels(shape[1]) {
    const int64_t places = shape.size() / (shape[0] * channels);
    if (last && channels <= most / 2) {
      cycles = true;
      block = channels;
      length = shape[0] * places;
    } else if (last) {
      blocks = (channels + most / 2 - 1) / (most / 2);
      block = (channels + blocks - 1) / blocks;
      outer = shape[0] * places;
      apart = channels;
      length = 1;
    } else {
      block = places >= most ? 1 : most / places < channels ? most / places : channels;
      outer = shape[0];
      apart = channels * places;
      length = each = places;
    }
    blocks = (channels + block - 1) / block;
    constexpr int64_t fitting = 1 << 15;  // elements that stay in a core's caches
    const int64_t parts = outer * length * block / fitting;
    const int64_t rows = outer * pieces(block);
    groups = parts < 1 ? 1 : parts < rows ? parts : rows;
  }

  int64_t first(int64_t b) const { return b * block; }
  int64_t count(int64_t b) const {
    return channels - first(b) < block ? channels - first(b) : block;
  }
  /// Lanes of a full row.
  int64_t width(int64_t many) const {
    if (cycles) return most / many * many;
    return many * length < most ? many * length : most;
  }
  int64_t pieces(int64_t many) const { return (many * length + width(many) - 1) / width(many); }
  /// Calls f(lane, channel) for the lanes of a full row, channels counted from the block's first.
  template <class F>
  void for_lanes(int64_t many, const F& f) const {
    const int64_t wide = width(many);
    const int64_t run = cycles ? 1 : many == 1 ? wide : each;
    for (int64_t i = 0; i < wide;) {
      for (int64_t c = 0; c < many; ++c) {
        for (const int64_t past = i + run; i < past; ++i) f(i, c);
      }
    }
  }
  /// Calls f(offset, lanes) for the rows of a part of a block; returns the elements a channel has
  /// in it.
  template <class F>
  int64_t visit(int64_t b, int64_t group, const F& f) const {
    const int64_t many = count(b);
    const int64_t wide = width(many);
    const int64_t parts = pieces(many);
    const int64_t rows = outer * parts;
    const int64_t past = (group + 1) * rows / groups;
    int64_t all = 0;
    for (int64_t i = group * rows / groups; i < past; ++i) {
      const int64_t at = i % parts * wide;
      const int64_t n = many * length - at < wide ? many * length - at : wide;
      f(i / parts * apart + first(b) * each + at, static_cast<int>(n));
      all += n;
    }
    return all / many;
  }
};

/// A number of each channel of a block, for each lane.
template <class T>
struct LaneNumbers {
  T at[ChannelRows::most];

  LaneNumbers() = default;
  LaneNumbers(const ChannelRows& rows, int64_t b, const T* of_channels) {
    const T* const from = of_channels + rows.first(b);
    rows.for_lanes(rows.count(b), [&](int64_t i, int64_t c) { at[i] = from[c]; });
  }
  void clear() {
    for (T& x : at) x = T(0);
  }
  /// Adds the lanes of each channel to sums[0 ... count).
  void fold(const ChannelRows& rows, int64_t b, double* sums) const {
    rows.for_lanes(rows.count(b),
                   [&](int64_t i, int64_t c) { sums[c] += static_cast<double>(at[i]); });
  }
};

/// Batch norm's numbers of a block's lanes.
template <class T>
struct BatchLanes {
  LaneNumbers<T> mean;
  LaneNumbers<T> factor;
  LaneNumbers<T> bias;
  LaneNumbers<T> slope;
  LaneNumbers<T> shift;
};

/// sums += x.
template <class T>
[[gnu::noinline]] void add_row(int n, const T* x, T* sums) {
  run_loop([=]() WEFT_ALWAYS_INLINE {
    for (int i = 0; i < n; ++i) sums[i] += x[i];
  });
}
/// sums += square(x - mean).
template <class T>
[[gnu::noinline]] void add_squares(int n, const T* x, const T* mean, T* sums) {
  run_loop([=]() WEFT_ALWAYS_INLINE {
    for (int i = 0; i < n; ++i) {
      const T d = x[i] - mean[i];
      sums[i] += d * d;
    }
  });
}
/// total += u, along += u * (x - mean), where u is the gradient of what `relu` left.
template <class T>
[[gnu::noinline]] void add_slopes(int n, const T* x, const T* g, const BatchLanes<T>& c, bool relu,
                                  T* __restrict total, T* __restrict along) {
  run_loop([=, &c]() WEFT_ALWAYS_INLINE {
    const T* const mean = c.mean.at;
    const T* const factor = c.factor.at;
    const T* const bias = c.bias.at;
    if (relu) {
      for (int i = 0; i < n; ++i) {
        const T d = x[i] - mean[i];
        const T up = g[i];
        const T u = d * factor[i] + bias[i] > T(0) ? up : T(0);
        total[i] += u;
        along[i] += u * d;
      }
    } else {
      for (int i = 0; i < n; ++i) {
        total[i] += g[i];
        along[i] += g[i] * (x[i] - mean[i]);
      }
    }
  });
}
/// The images' gradient.
template <class T>
[[gnu::noinline]] void slope_row(int n, const T* x, const T* g, const BatchLanes<T>& c, bool relu,
                                 T* __restrict to) {
  run_loop([=, &c]() WEFT_ALWAYS_INLINE {
    const T* const mean = c.mean.at;
    const T* const factor = c.factor.at;
    const T* const bias = c.bias.at;
    const T* const slope = c.slope.at;
    const T* const shift = c.shift.at;
    if (relu) {
      for (int i = 0; i < n; ++i) {
        const T d = x[i] - mean[i];
        const T up = g[i];
        const T u = d * factor[i] + bias[i] > T(0) ? up : T(0);
        to[i] = factor[i] * (u - shift[i] - d * slope[i]);
      }
    } else {
      for (int i = 0; i < n; ++i) {
        to[i] = factor[i] * (g[i] - shift[i] - (x[i] - mean[i]) * slope[i]);
      }
    }
  });
}
/// The results; `added` may be null.
template <class T>
[[gnu::noinline]] void normal_row(int n, const T* x, const T* added, const BatchLanes<T>& c,
                                  bool relu, T* __restrict to) {
  run_loop([=, &c]() WEFT_ALWAYS_INLINE {
    const T* const mean = c.mean.at;
    const T* const factor = c.factor.at;
    const T* const bias = c.bias.at;
    const auto cut = [](T y) { return y < T(0) ? T(0) : y; };  // NaN stays
    if (added != nullptr) {
      for (int i = 0; i < n; ++i) to[i] = cut((x[i] - mean[i]) * factor[i] + bias[i] + added[i]);
    } else if (relu) {
      for (int i = 0; i < n; ++i) to[i] = cut((x[i] - mean[i]) * factor[i] + bias[i]);
    } else {
      for (int i = 0; i < n; ++i) to[i] = (x[i] - mean[i]) * factor[i] + bias[i];
    }
  });
}

}  // namespace weft::cpu::detail
