// The kernels of attention's gradients on tensor cores, in TF32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tensor_scores.hpp"

namespace weft::on_cuda {

/// Bytes of shared memory: two tiles of the block's rows and two of the rows that it walks, with
/// the queries' logarithms and products of value and gradient.
template <int Width>
constexpr int tensor_backward_bytes() {
  return 2 * (gradient_rows + tensor_columns) * tensor_step<Width> * 4 +
         (gradient_rows + 2 * tensor_columns) * 4;
}

/// Blocks of a multiprocessor; registers are limited for so many. Half types gain more by registers
/// than by a third block.
template <class T, int Width>
inline constexpr int gradient_blocks = is_half<T> || Width > 64 ? 2 : 3;

#if defined(__CUDACC__)
namespace tensor {

/// A query's logarithm in units of log(2), to be taken from its scores.
__device__ __forceinline__ float shift_of(float log) {
  return log == no_score<float> ? 0.0F : log * math::log2e<float>;
}

}  // namespace tensor

/// The gradient of a tile of queries, to which each tile of keys adds; before that, for each query
/// the product of the value and its gradient, into `along`.
template <class T, int Width>
__global__ void __launch_bounds__(tensor_threads, gradient_blocks<T, Width>)
    tensor_query_gradient(const __grid_constant__ AttentionGrid<T> grid) {
  constexpr int M = gradient_groups;
  constexpr int rows = gradient_rows;
  constexpr int step = tensor_step<Width>;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  float* const q = reinterpret_cast<float*>(attention_memory);
  float* const g = q + rows * step;
  float* const k = g + rows * step;
  float* const v = k + tensor_columns * step;
  float* const products = v + tensor_columns * step;

  const AttentionPlan& plan = grid.plan;
  const AttentionPlace place = attention_place(grid.tiles, plan.heads);
  const int64_t b = place.b;
  const int64_t h = place.h;
  const int64_t kh = key_head_of(plan, h);
  const int64_t first = int64_t{long_tiles_first(plan, grid.tiles, place.tile)} * rows;
  const int64_t own = first + 16 * M * tensor::warp();
  const tensor::Lane lane;
  Draw draw = plan.draw;
  draw.resolve();
  const tensor::Rows<const T> queries(grid.q.at(b, h, 0), grid.q.row, plan.queries, plan.width);
  const tensor::Rows<const T> gradients(grid.gradient.at(b, h, 0), grid.gradient.row, plan.queries,
                                        plan.value_width);
  const tensor::Rows<const T> keys(grid.k.at(b, kh, 0), grid.k.row, plan.keys, plan.width);
  const tensor::Rows<const T> values(grid.v.at(b, kh, 0), grid.v.row, plan.keys, plan.value_width);

  tensor::Slice<T, Width> next_k;
  tensor::Slice<T, Width> next_v;
  next_k.fetch(keys, 0);
  next_v.fetch(values, 0);
  tensor::load_tile<rows, Width>(q, queries, first);
  tensor::load_tile<rows, Width>(g, gradients, first);
  {
    const tensor::Rows<const T> y(grid.y.at(b, h, 0), grid.y.row, plan.queries, plan.value_width);
    float sum[4 * M];
    tensor::multiply_along<M, Width>(sum, y, gradients, first);
#pragma unroll
    for (int i = 0; i < 4 * M; ++i) {
      const int r = 16 * M * tensor::warp() + 4 * i + static_cast<int>(threadIdx.x) % 32 / 8;
      if (threadIdx.x % 8 != 0) continue;
      products[r] = sum[i];
      if (first + r < plan.queries) grid.along[grid.log_at(b, h, first + r)] = sum[i];
    }
  }
  __syncwarp();
  float shift[M][2];
  float along[M][2];
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int r = 16 * M * tensor::warp() + tensor_row<M, false>(lane.g, m, half);
      along[m][half] = products[r];
      shift[m][half] = first + r < plan.queries
                           ? tensor::shift_of(grid.logs[grid.log_at(b, h, first + r)])
                           : 0.0F;
    }
  }
  unsigned left[M];
  unsigned right[tensor_columns / 16];
  tensor::left_addresses<M, false, Width>(left, q);
  tensor::right_addresses<true, Width>(right, k);

  const float factor = plan.drops() ? plan.kept_factor : 1.0F;
  tensor::Sums<M, Width> out = {};
  const int64_t end = tensor::visible_before(plan, first + rows);
  const int64_t own_end = own < plan.queries ? tensor::visible_before(plan, own + 16 * M) : 0;
  for (int64_t key = 0; key < end; key += tensor_columns) {
    __syncthreads();
    next_k.put(k);
    next_v.put(v);
    __syncthreads();
    const bool takes_part = key < own_end;
    tensor::Scores<M> change;
    if (takes_part) {
      const unsigned kept = tensor::kept_in_rows<M>(plan, draw, b, h, first, key);
      tensor::Scores<M> s;
      tensor::score_rows<T, M>(s, left, right, plan, b, h, first, key, shift);
      tensor::multiply_rows<M, rows * step, tensor_columns * step>(change, left, right,
                                                                   values.width);
#pragma unroll
      for (int m = 0; m < M; ++m) {
#pragma unroll
        for (int i = 0; i < tensor_columns / 2; ++i) {
          float& x = change[m][i / 4][i % 4];
          x = tensor::stays_in_row(kept, m, i / 4, i % 4) ? x : 0.0F;
          x = tensor::power_of_2(s[m][i / 4][i % 4]) * (x * factor - along[m][i % 4 / 2]);
        }
      }
    }
    next_k.fetch(keys, key + tensor_columns);
    next_v.fetch(values, key + tensor_columns);
    if (takes_part) tensor::multiply_columns<M, true, Width>(out, change, k);
  }
  float scales[M][2];
#pragma unroll
  for (int i = 0; i < 2 * M; ++i) scales[i / 2][i % 2] = static_cast<float>(plan.scale);
  const tensor::Rows<T> dq(grid.dq.at(b, h, 0), grid.dq.row, plan.queries, plan.width);
  tensor::store_rows<M, false, Width>(out, dq, first, scales);
}

/// The gradients of a tile of keys and values: each tile of queries, of all heads that read them,
/// adds to them.
template <class T, int Width>
__global__ void __launch_bounds__(tensor_threads, gradient_blocks<T, Width>)
    tensor_key_gradient(const __grid_constant__ AttentionGrid<T> grid) {
  constexpr int M = gradient_groups;
  constexpr int rows = gradient_rows;
  constexpr int step = tensor_step<Width>;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  float* const k = reinterpret_cast<float*>(attention_memory);
  float* const v = k + rows * step;
  float* const q = v + rows * step;
  float* const g = q + tensor_columns * step;
  float* const shifts = g + tensor_columns * step;
  float* const along = shifts + tensor_columns;

  const AttentionPlan& plan = grid.plan;
  const AttentionPlace place = attention_place(grid.tiles, plan.key_heads);
  const int64_t b = place.b;
  const int64_t kh = place.h;
  const int64_t group = plan.heads / plan.key_heads;
  const int64_t key = int64_t{place.tile} * rows;
  const int64_t own = key + 16 * M * tensor::warp();
  const tensor::Lane lane;
  Draw draw = plan.draw;
  draw.resolve();
  const tensor::Rows<const T> keys(grid.k.at(b, kh, 0), grid.k.row, plan.keys, plan.width);
  const tensor::Rows<const T> values(grid.v.at(b, kh, 0), grid.v.row, plan.keys, plan.value_width);
  const auto queries = [&](int64_t h) {
    return tensor::Rows<const T>(grid.q.at(b, h, 0), grid.q.row, plan.queries, plan.width);
  };
  const auto gradients = [&](int64_t h) {
    return tensor::Rows<const T>(grid.gradient.at(b, h, 0), grid.gradient.row, plan.queries,
                                 plan.value_width);
  };

  // The first queries that see a key of the tile, in whole tiles
  const int64_t from =
      plan.causal && key > plan.past ? (key - plan.past) / tensor_columns * tensor_columns : 0;
  int64_t h = kh * group;
  int64_t first = from;
  tensor::Slice<T, Width> next_q;
  tensor::Slice<T, Width> next_g;
  float next_row = 0;
  const auto fetch = [&] {
    next_q.fetch(queries(h), first);
    next_g.fetch(gradients(h), first);
    const int64_t row = first + threadIdx.x % tensor_columns;
    next_row = 0;
    if (threadIdx.x < 2 * tensor_columns && row < plan.queries) {
      next_row = (threadIdx.x < tensor_columns ? grid.logs : grid.along)[grid.log_at(b, h, row)];
    }
  };
  const auto any = [&] { return first < plan.queries && h < (kh + 1) * group; };
  if (any()) fetch();
  tensor::load_tile<rows, Width>(k, keys, key);
  tensor::load_tile<rows, Width>(v, values, key);
  unsigned left[M];
  unsigned right[tensor_columns / 16];
  tensor::left_addresses<M, true, Width>(left, k);
  tensor::right_addresses<false, Width>(right, q);

  const float scale = tensor::scale_of(plan);
  const float factor = plan.drops() ? plan.kept_factor : 1.0F;
  tensor::Sums<M, Width> dk = {};
  tensor::Sums<M, Width> dv = {};
  while (any()) {
    const int64_t head = h;
    const int64_t query = first;
    __syncthreads();
    next_q.put(q);
    next_g.put(g);
    if (threadIdx.x < tensor_columns) {
      shifts[threadIdx.x] = tensor::shift_of(next_row);
    } else if (threadIdx.x < 2 * tensor_columns) {
      along[threadIdx.x - tensor_columns] = next_row;
    }
    __syncthreads();
    const int64_t last =
        query + tensor_columns < plan.queries ? query + tensor_columns : plan.queries;
    const bool takes_part = own < plan.visible(last - 1);
    tensor::Scores<M> change;
    if (takes_part) {
      unsigned kept[2];
      tensor::kept_in_columns<M>(plan, draw, b, head, query, key, kept);
      tensor::Scores<M> s;  // rows are keys, columns queries
      tensor::multiply_rows<M>(s, left, right, keys.width);
#pragma unroll
      for (int i = 0; i < tensor_columns / 4; ++i) {
        const float shift = shifts[tensor_column<false>(i / 2, 2 * lane.t + i % 2)];
#pragma unroll
        for (int r = 0; r < 2 * M; ++r) {
          float& score = s[r / 2][i / 2][2 * (r % 2) + i % 2];
          score = score * scale - shift;
        }
      }
      if (!is_plain_tile(plan, query, tensor_columns, own, 16 * M)) {
        tensor::mask<true, T, M>(s, plan, b, head, query, key);
      }
      tensor::multiply_rows<M, rows * step, tensor_columns * step>(change, left, right,
                                                                   values.width);
#pragma unroll
      for (int i = 0; i < tensor_columns / 4; ++i) {
        const float less = along[tensor_column<false>(i / 2, 2 * lane.t + i % 2)];
#pragma unroll
        for (int r = 0; r < 2 * M; ++r) {
          const int at = 2 * (r % 2) + i % 2;
          const bool stays = tensor::stays_in_column<M>(kept, r / 2, i / 2, at);
          float& weight = s[r / 2][i / 2][at];
          float& x = change[r / 2][i / 2][at];
          weight = tensor::power_of_2(weight);
          x = weight * ((stays ? x : 0.0F) * factor - less);
          weight = stays ? weight : 0.0F;
        }
      }
      tensor::multiply_columns<M, false, Width>(dv, s, g);
    }
    first += tensor_columns;
    if (first >= plan.queries) {
      first = from;
      ++h;
    }
    if (any()) fetch();
    if (takes_part) tensor::multiply_columns<M, false, Width>(dk, change, q);
  }
  float scales[M][2];
  float factors[M][2];
#pragma unroll
  for (int i = 0; i < 2 * M; ++i) {
    scales[i / 2][i % 2] = static_cast<float>(plan.scale);
    factors[i / 2][i % 2] = factor;
  }
  const tensor::Rows<T> out_k(grid.dk.at(b, kh, 0), grid.dk.row, plan.keys, plan.width);
  const tensor::Rows<T> out_v(grid.dv.at(b, kh, 0), grid.dv.row, plan.keys, plan.value_width);
  tensor::store_rows<M, true, Width>(dk, out_k, key, scales);
  tensor::store_rows<M, true, Width>(dv, out_v, key, factors);
}
#endif

}  // namespace weft::on_cuda
