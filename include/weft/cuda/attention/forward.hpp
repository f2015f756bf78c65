// The kernel of attention: a block has a tile of queries and walks the keys (Dao et al. 2022).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tiles.hpp"

namespace weft::on_cuda {

/// Elements of shared memory: tiles of queries and of keys (then of values), and the weights.
template <class C, int Width>
constexpr int forward_room() {
  return 16 * (attention_queries<C> + attention_keys<C>)*(Width + 1) +
         16 * attention_queries<C> * (16 * attention_keys<C> + 1);
}

#if defined(__CUDACC__)

/// y and logs, with the largest score and the sum so far kept for each row.
template <class T, int Width>
__global__ void __launch_bounds__(attention_threads)
    attention_forward(const __grid_constant__ AttentionGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int A = attention_queries<C>;
  constexpr int B = attention_keys<C>;
  constexpr int E = Width / 16;
  constexpr int step = Width + 1;
  constexpr int weight_step = 16 * B + 1;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  C* const q = reinterpret_cast<C*>(attention_memory);
  C* const kv = q + 16 * A * step;
  C* const weights = kv + 16 * B * step;

  const AttentionPlan& plan = grid.plan;
  const AttentionPlace place = attention_place(grid.tiles, plan.heads);
  const int64_t b = place.b;
  const int64_t h = place.h;
  const int64_t kh = key_head_of(plan, h);
  const int64_t first = int64_t{place.tile} * 16 * A;
  const int tx = static_cast<int>(threadIdx.x) % 16;
  const int ty = static_cast<int>(threadIdx.x) / 16;
  const auto width = static_cast<int>(plan.width);
  const auto value_width = static_cast<int>(plan.value_width);
  Draw draw = plan.draw;
  draw.resolve();

  load_rows<16 * A, step>(q, grid.q.at(b, h, 0), grid.q.row, first, plan.queries, width, width);
  C most[A];
  C sum[A];
  C value[A][E];
#pragma unroll
  for (int i = 0; i < A; ++i) {
    most[i] = no_score<C>;
    sum[i] = 0;
#pragma unroll
    for (int e = 0; e < E; ++e) value[i][e] = 0;
  }
  const int64_t last = first + 16 * A < plan.queries ? first + 16 * A : plan.queries;
  const int64_t end = plan.visible(last - 1);
  for (int64_t key = 0; key < end; key += 16 * B) {
    __syncthreads();
    load_rows<16 * B, step>(kv, grid.k.at(b, kh, 0), grid.k.row, key, plan.keys, width, width);
    __syncthreads();
    C s[A][B];
    multiply_rows<A, B, step>(s, q, kv, width);
#pragma unroll
    for (int i = 0; i < A; ++i) {
      const int64_t row = first + ty + 16 * i;
      C here = most[i];
#pragma unroll
      for (int j = 0; j < B; ++j) {
        s[i][j] = attention_score<T>(plan, b, h, row, key + tx + 16 * j, s[i][j]);
        here = s[i][j] > here ? s[i][j] : here;
      }
      here = largest_of_row(here);
      const C shift = here == no_score<C> ? C(0) : here;
      const C shrink = math::exp_of_term(most[i] - shift);
      most[i] = here;
      C part = 0;
#pragma unroll
      for (int j = 0; j < B; ++j) {
        C weight = math::exp_of_term(s[i][j] - shift);
        part += weight;
        if (plan.drops()) {
          weight *= static_cast<C>(plan.kept(draw, b, h, row, key + tx + 16 * j));
        }
        weights[(ty + 16 * i) * weight_step + tx + 16 * j] = weight;
      }
      sum[i] = sum[i] * shrink + sum_of_row(part);
#pragma unroll
      for (int e = 0; e < E; ++e) value[i][e] *= shrink;
    }
    __syncthreads();
    load_rows<16 * B, step>(kv, grid.v.at(b, kh, 0), grid.v.row, key, plan.keys, value_width,
                            Width);
    __syncthreads();
    for (int j = 0; j < 16 * B; ++j) {
#pragma unroll
      for (int i = 0; i < A; ++i) {
        const C weight = weights[(ty + 16 * i) * weight_step + j];
#pragma unroll
        for (int e = 0; e < E; ++e) value[i][e] += weight * kv[j * step + tx + 16 * e];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < A; ++i) {
    const int64_t row = first + ty + 16 * i;
    if (row >= plan.queries) continue;
    const C share = sum[i] == C(0) ? C(0) : C(1) / sum[i];
    T* const out = grid.y.at(b, h, row);
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const int column = tx + 16 * e;
      if (column < value_width) out[column] = store_element<T>(value[i][e] * share);
    }
    if (tx == 0) {
      grid.logs[grid.log_at(b, h, row)] =
          sum[i] == C(0) ? no_score<C> : most[i] + math::log(sum[i]);
    }
  }
}

#endif

}  // namespace weft::on_cuda
