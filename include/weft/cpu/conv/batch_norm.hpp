// Batch norm of floats and doubles on the CPU, each part in one pass over the images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "weft/cpu/conv/batch_norm_rows.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/conv/batch_norm_kernels.hpp"

namespace weft {

template <>
struct BatchNormKernels<Cpu> {
  template <class T>
  static constexpr bool takes = std::is_same_v<T, float> || std::is_same_v<T, double>;

  template <class T, class D>
  static BatchNumbers<T, D> statistics(const Tensor<T, D>& x, const Tensor<T, D>& weight,
                                       double epsilon,
                                       const BatchRunning<T, D>* running = nullptr) {
    const int64_t channels = x.shape()[1];
    BatchNumbers<T, D> out{room(x), room(x), room(x), room(x)};
    if (x.size() == 0) return none(out);
    // A part's mean, and the squares of what its elements differ from it.
    const Sums sums =
        sum(x, [&](const Rows& rows, int64_t b, int64_t group, double* a, double* squares) {
          cpu::detail::LaneNumbers<T> lanes;
          lanes.clear();
          const int64_t n = rows.visit(b, group, [&](int64_t at, int count) {
            cpu::detail::add_row(count, x.data() + at, lanes.at);
          });
          lanes.fold(rows, b, a);
          const int64_t many = rows.count(b);
          for (int64_t c = 0; c < many; ++c) a[c] /= static_cast<double>(n);
          cpu::detail::LaneNumbers<T> mean;
          rows.for_lanes(many, [&](int64_t i, int64_t c) { mean.at[i] = static_cast<T>(a[c]); });
          lanes.clear();
          rows.visit(b, group, [&](int64_t at, int count) {
            cpu::detail::add_squares(count, x.data() + at, mean.at, lanes.at);
          });
          lanes.fold(rows, b, squares);
          for (int64_t c = 0; c < many; ++c) {
            const double off = a[c] - static_cast<double>(static_cast<T>(a[c]));
            squares[c] -= static_cast<double>(n) * off * off;
          }
          return n;
        });
    const auto all = static_cast<double>(x.size() / channels);
    for (int64_t c = 0; c < channels; ++c) {
      double mean = 0;
      double squares = 0;
      for (int64_t i = 0; i < sums.groups; ++i) mean += sums.count(c, i) * sums.first(c, i);
      mean /= all;
      for (int64_t i = 0; i < sums.groups; ++i) {
        const double off = sums.first(c, i) - mean;
        squares += sums.second(c, i) + sums.count(c, i) * off * off;
      }
      const double variance = squares / all;
      const double scale = 1 / std::sqrt(variance + epsilon);
      out.mean.data()[c] = static_cast<T>(mean);
      out.variance.data()[c] = static_cast<T>(variance);
      out.scale.data()[c] = static_cast<T>(scale);
      out.factor.data()[c] = static_cast<T>(scale * static_cast<double>(weight.data()[c]));
      if (running == nullptr) continue;
      const auto share = running->share;
      const auto move = [share](T& old, double now) {
        old = static_cast<T>((1 - share) * static_cast<double>(old) + share * now);
      };
      move(running->mean.data()[c], mean);
      move(running->variance.data()[c], squares / (all - 1));
    }
    if (running != nullptr) {
      *running->batches.data() += 1;
      running->mean.storage()->bump_version();
      running->variance.storage()->bump_version();
      running->batches.storage()->bump_version();
    }
    return out;
  }

  /// (x - mean) factor + bias, plus `added` if it is not null; with `relu` or an `added` no less
  /// than 0. In the format of x.
  template <class T, class D>
  static Tensor<T, D> results(const Tensor<T, D>& x, const BatchNumbers<T, D>& numbers,
                              const Tensor<T, D>& bias, bool relu, const Tensor<T, D>* added) {
    const Tensor<T, D> out = detail::allocate_format<T>(x.shape(), x.device(), is_channels_last(x));
    each<T, D>(x, numbers, bias, nullptr, [&](const Lanes<T>& lanes, int64_t at, int n) {
      const T* const more = added != nullptr ? added->data() + at : nullptr;
      cpu::detail::normal_row(n, x.data() + at, more, lanes, relu, out.data() + at);
    });
    return out;
  }

  template <class T, class D>
  static BatchGradients<T, T, D> gradients(const Tensor<T, D>& x, const Tensor<T, D>& g,
                                           const BatchNumbers<T, D>& numbers,
                                           const Tensor<T, D>& bias, bool relu,
                                           const Tensor<T, D>* to_weight = nullptr,
                                           const Tensor<T, D>* to_bias = nullptr) {
    const int64_t channels = x.shape()[1];
    BatchGradients<T, T, D> out{room(x), room(x), to_weight != nullptr ? *to_weight : room(x),
                                to_bias != nullptr ? *to_bias : room(x)};
    if (x.size() == 0) {
      for (auto* t : {&out.slope, &out.shift, &out.weight, &out.bias}) t->fill(T(0));
      return out;
    }
    const Sums sums =
        sum(x, [&](const Rows& rows, int64_t b, int64_t group, double* total, double* along) {
          const Lanes<T> lanes = lanes_of<T>(rows, b, numbers, bias);
          cpu::detail::LaneNumbers<T> first;
          cpu::detail::LaneNumbers<T> second;
          first.clear();
          second.clear();
          const int64_t n = rows.visit(b, group, [&](int64_t at, int count) {
            cpu::detail::add_slopes(count, x.data() + at, g.data() + at, lanes, relu, first.at,
                                    second.at);
          });
          first.fold(rows, b, total);
          second.fold(rows, b, along);
          return n;
        });
    const auto all = static_cast<double>(x.size() / channels);
    for (int64_t c = 0; c < channels; ++c) {
      double total = 0;
      double along = 0;
      for (int64_t i = 0; i < sums.groups; ++i) {
        total += sums.first(c, i);
        along += sums.second(c, i);
      }
      const auto scale = static_cast<double>(numbers.scale.data()[c]);
      out.slope.data()[c] = static_cast<T>(along * scale * scale / all);
      out.shift.data()[c] = static_cast<T>(total / all);
      out.weight.data()[c] = static_cast<T>(along * scale);
      out.bias.data()[c] = static_cast<T>(total);
    }
    out.weight.storage()->bump_version();
    out.bias.storage()->bump_version();
    return out;
  }

  template <class T, class D>
  static Tensor<T, D> images(const Tensor<T, D>& x, const Tensor<T, D>& g,
                             const BatchNumbers<T, D>& numbers, const BatchGradients<T, T, D>& sums,
                             const Tensor<T, D>& bias, bool relu) {
    const Tensor<T, D> out = detail::allocate_format<T>(x.shape(), x.device(), is_channels_last(x));
    each<T, D>(x, numbers, bias, &sums, [&](const Lanes<T>& lanes, int64_t at, int n) {
      cpu::detail::slope_row(n, x.data() + at, g.data() + at, lanes, relu, out.data() + at);
    });
    return out;
  }

 private:
  using Rows = cpu::detail::ChannelRows;
  template <class T>
  using Lanes = cpu::detail::BatchLanes<T>;

  /// Two sums of each channel and part, and how many elements are in them.
  struct Sums {
    int64_t channels;
    int64_t groups;
    int64_t block;
    std::vector<double> both;
    std::vector<int64_t> counts;

    double count(int64_t c, int64_t group) const {
      return static_cast<double>(counts[static_cast<std::size_t>(c / block * groups + group)]);
    }
    double first(int64_t c, int64_t group) const { return *at(0, c, group); }
    double second(int64_t c, int64_t group) const { return *at(1, c, group); }
    const double* at(int64_t which, int64_t c, int64_t group) const {
      return both.data() + (which * groups + group) * channels + c;
    }
  };
  template <class T, class D, class F>
  static Sums sum(const Tensor<T, D>& x, const F& f) {
    const Rows rows(x.shape(), is_channels_last(x));
    Sums out{rows.channels, rows.groups, rows.block, {}, {}};
    out.both.resize(static_cast<std::size_t>(2 * rows.groups * rows.channels));
    out.counts.resize(static_cast<std::size_t>(rows.groups * rows.blocks));
    cpu::parallel(rows.groups * rows.blocks, x.size(), [&](int64_t first, int64_t past) {
      for (int64_t unit = first; unit < past; ++unit) {
        const int64_t b = unit / rows.groups;
        const int64_t group = unit % rows.groups;
        const auto place = [&](int64_t which) {
          return const_cast<double*>(out.at(which, rows.first(b), group));
        };
        out.counts[static_cast<std::size_t>(unit)] = f(rows, b, group, place(0), place(1));
      }
    });
    return out;
  }
  /// Calls f(lanes, offset, count) for all rows.
  template <class T, class D, class F>
  static void each(const Tensor<T, D>& x, const BatchNumbers<T, D>& numbers,
                   const Tensor<T, D>& bias, const BatchGradients<T, T, D>* sums, const F& f) {
    if (x.size() == 0) return;
    const Rows rows(x.shape(), is_channels_last(x));
    cpu::parallel(rows.groups * rows.blocks, x.size(), [&](int64_t first, int64_t past) {
      Lanes<T> lanes;
      for (int64_t unit = first; unit < past; ++unit) {
        const int64_t b = unit / rows.groups;
        if (unit == first || unit % rows.groups == 0) {
          lanes = lanes_of<T>(rows, b, numbers, bias, sums);
        }
        rows.visit(b, unit % rows.groups, [&](int64_t at, int n) { f(lanes, at, n); });
      }
    });
  }
  template <class T, class D>
  static Lanes<T> lanes_of(const Rows& rows, int64_t b, const BatchNumbers<T, D>& numbers,
                           const Tensor<T, D>& bias,
                           const BatchGradients<T, T, D>* sums = nullptr) {
    const auto of = [&](const Tensor<T, D>& t) {
      return cpu::detail::LaneNumbers<T>(rows, b, t.data());
    };
    Lanes<T> out{of(numbers.mean), of(numbers.factor), of(bias), {}, {}};
    if (sums != nullptr) {
      out.slope = of(sums->slope);
      out.shift = of(sums->shift);
    }
    return out;
  }
  template <class T, class D>
  static Tensor<T, D> room(const Tensor<T, D>& x) {
    return detail::Access::allocate<T, D>({x.shape()[1]}, x.device());
  }
  template <class T, class D>
  static BatchNumbers<T, D> none(const BatchNumbers<T, D>& out) {
    for (const auto* t : {&out.mean, &out.variance, &out.scale, &out.factor}) t->fill(T(0));
    return out;
  }
};

}  // namespace weft
