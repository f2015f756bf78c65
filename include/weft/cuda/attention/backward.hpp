// The kernels of attention's gradients: one per tile of queries, the other per tile of keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tiles.hpp"

namespace weft::on_cuda {

/// Elements of shared memory: tiles of queries, gradients, keys and values, and `scores` tiles of
/// scores.
template <class C, int Width>
constexpr int backward_room(int scores) {
  return 16 * 2 * (attention_backward<C> + attention_keys<C>)*(Width + 1) +
         scores * 16 * attention_backward<C> * (16 * attention_keys<C> + 1);
}

#if defined(__CUDACC__)

namespace detail {

/// A thread's weights of a tile, as they went into the value, and the gradients of its scores.
template <class T, int A, int B, int Step>
__device__ __forceinline__ void weigh_again(const AttentionGrid<T>& grid, const Draw& draw,
                                            int64_t b, int64_t h, int64_t first, int64_t key,
                                            const compute_t<T>* q, const compute_t<T>* k,
                                            const compute_t<T>* g, const compute_t<T>* v,
                                            compute_t<T> (&weight)[A][B],
                                            compute_t<T> (&score)[A][B]) {
  using C = compute_t<T>;
  const AttentionPlan& plan = grid.plan;
  const int tx = static_cast<int>(threadIdx.x) % 16;
  const int ty = static_cast<int>(threadIdx.x) / 16;
  multiply_rows<A, B, Step>(weight, q, k, static_cast<int>(plan.width));
  multiply_rows<A, B, Step>(score, g, v, static_cast<int>(plan.value_width));
#pragma unroll
  for (int i = 0; i < A; ++i) {
    const int64_t row = first + ty + 16 * i;
    const bool there = row < plan.queries;
    const C log = there ? grid.logs[grid.log_at(b, h, row)] : C(0);
    const C along = there ? grid.along[grid.log_at(b, h, row)] : C(0);
    const C shift = log == no_score<C> ? C(0) : log;
#pragma unroll
    for (int j = 0; j < B; ++j) {
      const int64_t column = key + tx + 16 * j;
      const C s = attention_score<T>(plan, b, h, row, column, weight[i][j]);
      const C w = math::exp_of_term(s - shift);
      C kept = 1;
      if (plan.drops()) kept = static_cast<C>(plan.kept(draw, b, h, row, column));
      score[i][j] = w * (score[i][j] * kept - along);
      weight[i][j] = w * kept;
    }
  }
}

}  // namespace detail

/// For each query the product of the value and its gradient: one warp per row.
template <class T>
__global__ void __launch_bounds__(attention_threads)
    attention_along(const __grid_constant__ AttentionGrid<T> grid) {
  using C = compute_t<T>;
  const AttentionPlan& plan = grid.plan;
  const auto warp = static_cast<int64_t>(blockIdx.x) * (attention_threads / 32) + threadIdx.x / 32;
  if (warp >= plan.batches * plan.heads * plan.queries) return;
  const int64_t i = warp % plan.queries;
  const int64_t h = warp / plan.queries % plan.heads;
  const int64_t b = warp / plan.queries / plan.heads;
  const T* const y = grid.y.at(b, h, i);
  const T* const g = grid.gradient.at(b, h, i);
  C sum = 0;
  for (int c = static_cast<int>(threadIdx.x) % 32; c < plan.value_width; c += 32) {
    sum += load_element(y[c]) * load_element(g[c]);
  }
  sum = sum_of_threads<32>(sum);
  if (threadIdx.x % 32 == 0) grid.along[warp] = sum;
}

/// The gradient of a tile of queries: each tile of keys adds to it.
template <class T, int Width>
__global__ void __launch_bounds__(attention_threads)
    attention_query_gradient(const __grid_constant__ AttentionGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int A = attention_backward<C>;
  constexpr int B = attention_keys<C>;
  constexpr int E = Width / 16;
  constexpr int step = Width + 1;
  constexpr int score_step = 16 * B + 1;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  C* const q = reinterpret_cast<C*>(attention_memory);
  C* const g = q + 16 * A * step;
  C* const k = g + 16 * A * step;
  C* const v = k + 16 * B * step;
  C* const scores = v + 16 * B * step;

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
  load_rows<16 * A, step>(g, grid.gradient.at(b, h, 0), grid.gradient.row, first, plan.queries,
                          value_width, value_width);
  C out[A][E];
#pragma unroll
  for (int i = 0; i < A; ++i) {
#pragma unroll
    for (int e = 0; e < E; ++e) out[i][e] = 0;
  }
  const int64_t last = first + 16 * A < plan.queries ? first + 16 * A : plan.queries;
  const int64_t end = plan.visible(last - 1);
  for (int64_t key = 0; key < end; key += 16 * B) {
    __syncthreads();
    load_rows<16 * B, step>(k, grid.k.at(b, kh, 0), grid.k.row, key, plan.keys, width, Width);
    load_rows<16 * B, step>(v, grid.v.at(b, kh, 0), grid.v.row, key, plan.keys, value_width,
                            value_width);
    __syncthreads();
    C weight[A][B];
    C score[A][B];
    detail::weigh_again<T, A, B, step>(grid, draw, b, h, first, key, q, k, g, v, weight, score);
#pragma unroll
    for (int i = 0; i < A; ++i) {
#pragma unroll
      for (int j = 0; j < B; ++j) {
        scores[(ty + 16 * i) * score_step + tx + 16 * j] = score[i][j];
      }
    }
    __syncthreads();
    for (int j = 0; j < 16 * B; ++j) {
#pragma unroll
      for (int i = 0; i < A; ++i) {
        const C s = scores[(ty + 16 * i) * score_step + j];
#pragma unroll
        for (int e = 0; e < E; ++e) out[i][e] += s * k[j * step + tx + 16 * e];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < A; ++i) {
    const int64_t row = first + ty + 16 * i;
    if (row >= plan.queries) continue;
    T* const to = grid.dq.at(b, h, row);
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const int column = tx + 16 * e;
      if (column < width) {
        to[column] = store_element<T>(out[i][e] * static_cast<C>(plan.scale));
      }
    }
  }
}

/// The gradients of a tile of keys and values: each tile of queries, of all heads that read them,
/// adds to them.
template <class T, int Width>
__global__ void __launch_bounds__(attention_threads)
    attention_key_gradient(const __grid_constant__ AttentionGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int A = attention_backward<C>;
  constexpr int B = attention_keys<C>;
  constexpr int E = Width / 16;
  constexpr int step = Width + 1;
  constexpr int score_step = 16 * B + 1;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  C* const q = reinterpret_cast<C*>(attention_memory);
  C* const g = q + 16 * A * step;
  C* const k = g + 16 * A * step;
  C* const v = k + 16 * B * step;
  C* const scores = v + 16 * B * step;
  C* const weights = scores + 16 * A * score_step;

  const AttentionPlan& plan = grid.plan;
  const AttentionPlace place = attention_place(grid.tiles, plan.key_heads);
  const int64_t b = place.b;
  const int64_t kh = place.h;
  const int64_t group = plan.heads / plan.key_heads;
  const int64_t key = int64_t{place.tile} * 16 * B;
  const int tx = static_cast<int>(threadIdx.x) % 16;
  const int ty = static_cast<int>(threadIdx.x) / 16;
  const auto width = static_cast<int>(plan.width);
  const auto value_width = static_cast<int>(plan.value_width);
  Draw draw = plan.draw;
  draw.resolve();

  load_rows<16 * B, step>(k, grid.k.at(b, kh, 0), grid.k.row, key, plan.keys, width, width);
  load_rows<16 * B, step>(v, grid.v.at(b, kh, 0), grid.v.row, key, plan.keys, value_width,
                          value_width);
  C dk[B][E];
  C dv[B][E];
#pragma unroll
  for (int j = 0; j < B; ++j) {
#pragma unroll
    for (int e = 0; e < E; ++e) {
      dk[j][e] = 0;
      dv[j][e] = 0;
    }
  }
  for (int64_t h = kh * group; h < (kh + 1) * group; ++h) {
    for (int64_t first = 0; first < plan.queries; first += 16 * A) {
      const int64_t last = first + 16 * A < plan.queries ? first + 16 * A : plan.queries;
      if (plan.visible(last - 1) <= key) continue;
      __syncthreads();
      load_rows<16 * A, step>(q, grid.q.at(b, h, 0), grid.q.row, first, plan.queries, width, Width);
      load_rows<16 * A, step>(g, grid.gradient.at(b, h, 0), grid.gradient.row, first, plan.queries,
                              value_width, Width);
      __syncthreads();
      C weight[A][B];
      C score[A][B];
      detail::weigh_again<T, A, B, step>(grid, draw, b, h, first, key, q, k, g, v, weight, score);
#pragma unroll
      for (int i = 0; i < A; ++i) {
#pragma unroll
        for (int j = 0; j < B; ++j) {
          scores[(ty + 16 * i) * score_step + tx + 16 * j] = score[i][j];
          weights[(ty + 16 * i) * score_step + tx + 16 * j] = weight[i][j];
        }
      }
      __syncthreads();
      for (int i = 0; i < 16 * A; ++i) {
#pragma unroll
        for (int j = 0; j < B; ++j) {
          const C s = scores[i * score_step + ty + 16 * j];
          const C w = weights[i * score_step + ty + 16 * j];
#pragma unroll
          for (int e = 0; e < E; ++e) {
            dk[j][e] += s * q[i * step + tx + 16 * e];
            dv[j][e] += w * g[i * step + tx + 16 * e];
          }
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < B; ++j) {
    const int64_t row = key + ty + 16 * j;
    if (row >= plan.keys) continue;
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const int column = tx + 16 * e;
      if (column < width) {
        grid.dk.at(b, kh, row)[column] = store_element<T>(dk[j][e] * static_cast<C>(plan.scale));
      }
      if (column < value_width) grid.dv.at(b, kh, row)[column] = store_element<T>(dv[j][e]);
    }
  }
}

#endif

}  // namespace weft::on_cuda
