// Attention's scores on tensor cores: masks, and which weights dropout keeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tensor_products.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::tensor {

/// 2^x; scores are in units of log(2).
__device__ __forceinline__ float power_of_2(float x) { return weft::detail::ptx::ex2_approx(x); }
__device__ __forceinline__ float scale_of(const AttentionPlan& plan) {
  return static_cast<float>(plan.scale * math::log2e<double>);
}

/// Masks the scores of a tile that is not plain, of queries from `query` and keys from `key` on.
template <bool Keys, class T, int M>
__device__ __forceinline__ void mask(Scores<M>& s, const AttentionPlan& plan, int64_t b, int64_t h,
                                     int64_t query, int64_t key) {
  const Lane lane;
  int64_t step = plan.mask_strides[Keys ? 2 : 3];
  // No register is to keep for later tiles what follows from these.
  weft::detail::ptx::forget_origin(step);
  weft::detail::ptx::forget_origin(query);
  weft::detail::ptx::forget_origin(key);
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = 16 * M * warp() + tensor_row<M, Keys>(lane.g, m, half);
      // Of the other tile's rows, those from `from` to `to` take part.
      int64_t from = 0;
      int64_t to = 0;
      if constexpr (Keys) {
        if (key + row < plan.keys) to = plan.queries - query;
        if (plan.causal) from = key + row - plan.past - query;
      } else {
        if (query + row < plan.queries) to = plan.visible(query + row) - key;
      }
      const int least = from < 0                ? 0
                        : from < tensor_columns ? static_cast<int>(from)
                                                : tensor_columns;
      const int most = to < 0 ? 0 : to < tensor_columns ? static_cast<int>(to) : tensor_columns;
      const auto column = [&](int i) { return tensor_column<!Keys>(i / 2, 2 * lane.t + i % 2); };
      const auto score = [&](int i) -> float& { return s[m][i / 2][2 * half + i % 2]; };
      const auto there = [&](int i) { return column(i) >= least && column(i) < most; };
      constexpr int each = tensor_columns / 4;
      if (plan.added != nullptr || plan.allowed != nullptr) {
        const int64_t at = plan.mask_at(b, h, query + (Keys ? 0 : row), key + (Keys ? row : 0));
        if (plan.added != nullptr) {
          const T* const added = static_cast<const T*>(plan.added) + at;
          T x[each];  // all on their way before the first is used
#pragma unroll
          for (int i = 0; i < each; ++i) x[i] = there(i) ? added[column(i) * step] : T(0.0F);
#pragma unroll
          for (int i = 0; i < each; ++i) score(i) += load_element(x[i]) * math::log2e<float>;
        } else {
          bool x[each];
#pragma unroll
          for (int i = 0; i < each; ++i) x[i] = there(i) && plan.allowed[at + column(i) * step];
#pragma unroll
          for (int i = 0; i < each; ++i) score(i) = x[i] ? score(i) : no_score<float>;
        }
      }
#pragma unroll
      for (int i = 0; i < each; ++i) score(i) = there(i) ? score(i) : no_score<float>;
    }
  }
}

/// A draw's random bits. All rounds' keys are in registers, since adding them up for each block
/// takes half as long as the rounds.
struct Blocks {
  std::uint64_t number;
  unsigned key[20];

  __device__ __forceinline__ explicit Blocks(const Draw& draw) : number(draw.number) {
#pragma unroll
    for (int i = 0; i < 20; ++i) {
      key[i] = static_cast<unsigned>(draw.seed >> 32 * (i % 2)) +
               static_cast<unsigned>(i / 2) * philox_step(i % 2);
      weft::detail::ptx::forget_origin(key[i]);
    }
  }
  __device__ __forceinline__ PhiloxBlock operator()(std::uint64_t i) const {
    PhiloxBlock x{static_cast<unsigned>(i), static_cast<unsigned>(i >> 32),
                  static_cast<unsigned>(number), static_cast<unsigned>(number >> 32)};
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      x = philox_round(x, key[2 * round], key[2 * round + 1]);
    }
    return x;
  }
};

/// Which of four neighbouring weights stay, from number `at` on, a bit each. Four weights are a
/// block of random bits, or parts of two if a row's length is not a multiple of 4.
template <bool Ragged>
__device__ __forceinline__ unsigned kept_of_four(const AttentionPlan& plan, const Blocks& blocks,
                                                 int64_t at) {
  const auto stay = [&](std::uint64_t block) {
    const PhiloxBlock x = blocks(block);
    return (x.a < plan.dropped ? 0U : 1U) | (x.b < plan.dropped ? 0U : 2U) |
           (x.c < plan.dropped ? 0U : 4U) | (x.d < plan.dropped ? 0U : 8U);
  };
  const auto block = static_cast<std::uint64_t>(at) / 4;
  if constexpr (!Ragged) return stay(block);
  return (stay(block + 1) << 4 | stay(block)) >> (at % 4) & 15;
}

/// The bits of a thread's weights, with queries as rows and keys from `key` on: of query 16 m + 8
/// half and the keys of columns 2 i and 2 i + 1 four from 8 (2 m + half) + 4 i on.
template <bool Ragged, int M>
__device__ __forceinline__ unsigned draw_rows(const AttentionPlan& plan, const Draw& draw,
                                              int64_t at) {
  static_assert(tensor_columns == 32);
  const Blocks blocks(draw);
  unsigned bits = 0;
#pragma unroll 1
  for (int part = 2 * M - 1; part >= 0; --part) {
    const int64_t row = at + 8 * part * plan.keys;
    bits = bits << 8 | kept_of_four<Ragged>(plan, blocks, row + 16) << 4 |
           kept_of_four<Ragged>(plan, blocks, row);
  }
  return bits;
}
template <int M>
__device__ __forceinline__ unsigned kept_in_rows(const AttentionPlan& plan, const Draw& draw,
                                                 int64_t b, int64_t h, int64_t first, int64_t key) {
  if (!plan.drops()) return ~0U;
  const Lane lane;
  const int64_t row = (b * plan.heads + h) * plan.queries + first + 16 * M * warp() + lane.g;
  const int64_t at = row * plan.keys + key + 4 * lane.t;
  return plan.keys % 4 == 0 ? draw_rows<false, M>(plan, draw, at)
                            : draw_rows<true, M>(plan, draw, at);
}
/// Whether a weight stays; `bits` as kept_in_rows gives them.
__device__ __forceinline__ bool stays_in_row(unsigned bits, int m, int j, int i) {
  return (bits >> (8 * (2 * m + i / 2) + 4 * (j / 2) + 2 * (j % 2) + i % 2) & 1) != 0;
}

/// With keys as rows: for the thread's queries of either parity, of column 8 j four bits from 4 j
/// on, for its keys. `at` is the first key's weight for the first query.
template <bool Ragged, int M>
__device__ __forceinline__ void draw_columns(const AttentionPlan& plan, const Draw& draw,
                                             int64_t at, unsigned (&bits)[2]) {
  const Blocks blocks(draw);
  bits[0] = bits[1] = 0;
  if constexpr (M == 2) {
#pragma unroll 1
    for (int j = tensor_columns / 8 - 1; j >= 0; --j) {
      const int64_t from = at + 8 * j * plan.keys;
      bits[0] = bits[0] << 4 | kept_of_four<Ragged>(plan, blocks, from);
      bits[1] = bits[1] << 4 | kept_of_four<Ragged>(plan, blocks, from + plan.keys);
    }
  } else {  // two threads have four keys: each draws those of one of the queries
    const int odd = Lane().g % 2;
    unsigned own = 0;
#pragma unroll 2
    for (int j = tensor_columns / 8 - 1; j >= 0; --j) {
      own = own << 4 | kept_of_four<Ragged>(plan, blocks, at + (8 * j + odd) * plan.keys - odd);
    }
    const unsigned other = __shfl_xor_sync(~0U, own, 4);
    bits[0] = (odd != 0 ? other : own) >> odd;
    bits[1] = (odd != 0 ? own : other) >> odd;
  }
}
template <int M>
__device__ __forceinline__ void kept_in_columns(const AttentionPlan& plan, const Draw& draw,
                                                int64_t b, int64_t h, int64_t query, int64_t key,
                                                unsigned (&bits)[2]) {
  bits[0] = bits[1] = ~0U;
  if (!plan.drops()) return;
  const Lane lane;
  const int64_t line = (b * plan.heads + h) * plan.queries + query + 2 * lane.t;
  const int64_t at = line * plan.keys + key + 16 * M * warp() + tensor_row<M, true>(lane.g, 0, 0);
  if (plan.keys % 4 == 0) {
    draw_columns<false, M>(plan, draw, at, bits);
  } else {
    draw_columns<true, M>(plan, draw, at, bits);
  }
}
template <int M>
__device__ __forceinline__ bool stays_in_column(const unsigned (&bits)[2], int m, int j, int i) {
  const int of_keys = M == 2 ? 2 * m + i / 2 : i / 2 * 2;
  return (bits[i % 2] >> (4 * j + of_keys) & 1) != 0;
}

/// How many keys the last query before number `end` may attend to.
__device__ __forceinline__ int64_t visible_before(const AttentionPlan& plan, int64_t end) {
  return plan.visible((end < plan.queries ? end : plan.queries) - 1);
}

/// The scores of a warp's queries, of a tile that begins at `first`, and 32 keys, less a shift of
/// each query.
template <class T, int M>
__device__ __forceinline__ void score_rows(Scores<M>& s, const unsigned (&left)[M],
                                           const unsigned (&right)[tensor_columns / 16],
                                           const AttentionPlan& plan, int64_t b, int64_t h,
                                           int64_t first, int64_t key, const float (&shift)[M][2]) {
  multiply_rows<M>(s, left, right, static_cast<int>(plan.width));
  const float scale = scale_of(plan);
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int i = 0; i < tensor_columns / 2; ++i) {
      float& score = s[m][i / 4][i % 4];
      score = score * scale - shift[m][i % 4 / 2];
    }
  }
  if (!is_plain_tile(plan, first + 16 * M * warp(), 1, key, tensor_columns)) {
    mask<false, T, M>(s, plan, b, h, first, key);
  }
}

}  // namespace weft::on_cuda::tensor

#endif
