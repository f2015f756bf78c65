// logsumexp of short rows, many at a time, so that exponentials and logarithms run in vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/reduce/lanes.hpp"
#include "weft/eval/program/program.hpp"

namespace weft::cpu::detail {

/// Of longer rows the exponentials fill vectors by themselves.
inline constexpr int longest_short_logsumexp = 32;

/// The results of rows of m values, `pitch` bytes apart.
template <class Out, class V>
void short_logsumexps(const char* values, int64_t pitch, int64_t rows, int m, char* out,
                      int64_t out_pitch) {
  run_loop([=]() WEFT_ALWAYS_INLINE {
    constexpr int room = 512;
    alignas(64) V terms[room];
    alignas(64) V sums[room];
    alignas(64) V from[room];
    const int most = room / m;
    for (int64_t first = 0; first < rows; first += most) {
      const int some = static_cast<int>(rows - first < most ? rows - first : most);
      // Distances are from a finite number, so that a sum is NaN only if an element is.
      V* to = terms;
      for (int r = 0; r < some; ++r, to += m) {
        const V* const row = reinterpret_cast<const V*>(values + (first + r) * pitch);
        V max = row[0];
        for (int i = 1; i < m; ++i) max = row[i] > max ? row[i] : max;
        max = max > math::lowest<V> ? max : math::lowest<V>;
        max = max < math::highest<V> ? max : math::highest<V>;
        for (int i = 0; i < m; ++i) to[i] = row[i] - max;
        from[r] = max;
      }
      const int count = some * m;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int i = 0; i < count; ++i) terms[i] = math::exp_of_term(terms[i]);
      for (int r = 0; r < some; ++r) {
        sums[r] = lane_sum(terms + r * m, m, [](auto&) WEFT_ALWAYS_INLINE {});
      }
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int r = 0; r < some; ++r) sums[r] = from[r] + math::log(sums[r]);
      for (int r = 0; r < some; ++r) {
        *reinterpret_cast<Out*>(out + (first + r) * out_pitch) = store_element<Out>(sums[r]);
      }
    }
  });
}

}  // namespace weft::cpu::detail
