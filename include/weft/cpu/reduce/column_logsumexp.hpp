// logsumexp of neighbouring columns, whose exponentials run in vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/reduce/column_run.hpp"

namespace weft::cpu::detail {

/// A column's largest element so far, and the sum of the exponentials of the distances from it.
/// Sixteen rows at a time: first the largest of each column, then the sum, so that a column's sum
/// is brought to another largest element once for all of them.
template <class Out, class V>
  requires std::is_floating_point_v<V>
struct ColumnRun<Out, reducer::logsumexp, V> {
  using R = reducer::logsumexp;
  using State = R::State<V>;
  static constexpr int most = 16;  // rows
  static constexpr int columns = 1024 / static_cast<int>(sizeof(V));

  struct Running {
    alignas(64) V max[columns];
    alignas(64) V sum[columns];
    alignas(64) V excess[columns];  // what the sum's roundings added to it
  };

  static void begin(const void*, void* memory) {
    auto& running = *static_cast<Running*>(memory);
    for (int c = 0; c < columns; ++c) {
      running.max[c] = State{}.max;
      running.sum[c] = running.excess[c] = V(0);
    }
  }
  static void add(const void*, const char* values, int64_t pitch, int64_t rows, int64_t m, int64_t,
                  void* memory) {
    run_loop([=]() WEFT_ALWAYS_INLINE {
      for (int64_t r = 0; r < rows; r += most) {
        add_rows(values + r * pitch, pitch, rows - r < most ? rows - r : most, m,
                 *static_cast<Running*>(memory));
      }
    });
  }
  static void end(const void*, void* memory, int64_t m, char* states) {
    const auto& running = *static_cast<const Running*>(memory);
    for (int64_t c = 0; c < m; ++c) {
      const V sum = running.sum[c];
      reinterpret_cast<State*>(states)[c] = State{sum != sum ? sum : running.max[c], sum};
    }
  }
  static void finish(const void*, void* memory, int64_t m, int64_t, char* out, int64_t pitch) {
    run_loop([=]() WEFT_ALWAYS_INLINE {
      auto& running = *static_cast<Running*>(memory);
      for (int64_t c = 0; c < m; ++c) running.max[c] += math::log(running.sum[c]);
      for (int64_t c = 0; c < m; ++c) {
        *reinterpret_cast<Out*>(out + c * pitch) = store_element<Out>(running.max[c]);
      }
    });
  }

  static constexpr ColumnLoops loops{columns, sizeof(Running), begin, add, end, finish};

 private:
  /// A few rows. Distances are from a finite number, so that a sum is NaN only if an element is.
  WEFT_ALWAYS_INLINE static void add_rows(const char* values, int64_t pitch, int64_t rows,
                                          int64_t m, Running& running) {
    alignas(64) V max[columns];
    alignas(64) V from[columns];
    alignas(64) V sum[columns];
    for (int64_t c = 0; c < m; ++c) max[c] = running.max[c];
    for (int64_t r = 0; r < rows; ++r) {
      const auto* const row = reinterpret_cast<const V*>(values + r * pitch);
      for (int64_t c = 0; c < m; ++c) max[c] = row[c] > max[c] ? row[c] : max[c];
    }
    for (int64_t c = 0; c < m; ++c) {
      const V raised = max[c] > math::lowest<V> ? max[c] : math::lowest<V>;
      from[c] = raised < math::highest<V> ? raised : math::highest<V>;
      sum[c] = V(0);
    }
    for (int64_t r = 0; r < rows; ++r) {
      const auto* const row = reinterpret_cast<const V*>(values + r * pitch);
      for (int64_t c = 0; c < m; ++c) sum[c] += math::exp_of_term(row[c] - from[c]);
    }
    for (int64_t c = 0; c < m; ++c) {
      const V turned = math::exp_of_term(running.max[c] - from[c]);
      const V scale = math::choose(running.max[c] == max[c], V(1), turned);
      const V before = running.sum[c] * scale;
      const V added = sum[c] - running.excess[c] * scale;
      const V all = before + added;
      running.excess[c] = math::choose(all < math::infinity<V>, (all - before) - added, V(0));
      running.sum[c] = all;
      running.max[c] = max[c];
    }
  }
};

}  // namespace weft::cpu::detail
