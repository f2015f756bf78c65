// Attention's scores on the CPU: a block's masks, largest scores and weights, vectorised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/linalg/attention.hpp"

namespace weft::cpu::detail {

/// A block of a head's queries: batch `b`, head `h`, starting at `first`.
struct AttentionBlock {
  int64_t b;
  int64_t h;
  int64_t first;
  int64_t rows;
  int64_t keys;  // that any of its queries may attend to
};

/// Adds masks to a block's scores; keys that are masked out get -infinity.
template <class C>
void mask_scores(const AttentionPlan& plan, const AttentionBlock& block, C* scores) {
  constexpr C never = -std::numeric_limits<C>::infinity();
  const auto* const added = static_cast<const C*>(plan.added);
  const int64_t step = plan.mask_strides[3];
  const int64_t keys = block.keys;
  for (int64_t r = 0; r < block.rows; ++r) {
    const int64_t i = block.first + r;
    C* const row = scores + r * keys;
    const int64_t at = plan.mask_at(block.b, block.h, i, 0);
    if (added != nullptr) {
      for (int64_t j = 0; j < keys; ++j) row[j] += added[at + j * step];
    } else if (plan.allowed != nullptr && step == 1) {
      const bool* const allowed = plan.allowed + at;
      run_loop([=]() WEFT_ALWAYS_INLINE {
        for (int64_t j = 0; j < keys; ++j) row[j] = allowed[j] ? row[j] : never;
      });
    } else if (plan.allowed != nullptr) {
      for (int64_t j = 0; j < keys; ++j) row[j] = plan.allowed[at + j * step] ? row[j] : never;
    }
    for (int64_t j = plan.visible(i); j < keys; ++j) row[j] = never;
  }
}

/// exp(x - shift) of n neighbours, vectorised.
template <class C>
void exp_shifted(C* x, int64_t n, C shift) {
  run_loop([=]() WEFT_ALWAYS_INLINE {
    for (int64_t j = 0; j < n; ++j) x[j] = op::exp::value(x[j] - shift);
  });
}

/// How many numbers of a row are compared or added side by side.
inline constexpr int64_t score_lanes = 16;

/// The largest of n neighbours, or 0 if all are -infinity; NaN counts as nothing.
template <class C>
[[gnu::noinline]] C largest_score(const C* x, int64_t n) {
  C most[score_lanes];
  for (C& m : most) m = -std::numeric_limits<C>::infinity();
  int64_t j = 0;
  run_loop([&]() WEFT_ALWAYS_INLINE {
    for (; j + score_lanes <= n; j += score_lanes) {
      for (int64_t i = 0; i < score_lanes; ++i) most[i] = x[j + i] > most[i] ? x[j + i] : most[i];
    }
  });
  for (; j < n; ++j) most[0] = x[j] > most[0] ? x[j] : most[0];
  for (const C m : most) most[0] = m > most[0] ? m : most[0];
  return most[0] == -std::numeric_limits<C>::infinity() ? C(0) : most[0];
}

/// Replaces n neighbours by exp(x - shift), and returns their sum.
template <class C>
[[gnu::noinline]] C sum_of_weights(C* x, int64_t n, C shift) {
  exp_shifted(x, n, shift);
  C sums[score_lanes] = {};
  int64_t j = 0;
  run_loop([&]() WEFT_ALWAYS_INLINE {
    for (; j + score_lanes <= n; j += score_lanes) {
      for (int64_t i = 0; i < score_lanes; ++i) sums[i] += x[j + i];
    }
  });
  for (; j < n; ++j) sums[0] += x[j];
  C sum = 0;
  for (const C s : sums) sum += s;
  return sum;
}

}  // namespace weft::cpu::detail
