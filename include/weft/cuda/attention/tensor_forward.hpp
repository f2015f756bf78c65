// The kernel of attention on tensor cores, in TF32, which is exact for half types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tensor_scores.hpp"

namespace weft::on_cuda {

/// Bytes of shared memory: a tile of queries, one of keys and one of values.
template <class T, int Width>
constexpr int tensor_forward_bytes() {
  return (tensor_rows<T, Width> + 2 * tensor_columns) * tensor_step<Width> * 4;
}

#if defined(__CUDACC__)
namespace tensor {

/// The softmax of a warp's rows so far. Weights are 2^(score - shift), where the shift follows the
/// largest score at a distance: while it is less than 8 behind, sums need no factor.
template <int M>
struct Softmax {
  float shift[M][2] = {};
  float bound[M][2];     // what scores may reach above the shift; -infinity until there is one
  float sum[M][2] = {};  // of the thread's weights

  __device__ Softmax() {
#pragma unroll
    for (int i = 0; i < 2 * M; ++i) bound[i / 2][i % 2] = no_score<float>;
  }

  /// Scores, less the shift, become weights.
  template <int Width>
  __device__ __forceinline__ void add(Scores<M>& s, Sums<M, Width>& value) {
    float most[M][2];
    bool moves = false;
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float& largest = most[m][half];
        largest = s[m][0][2 * half];
#pragma unroll
        for (int i = 1; i < tensor_columns / 4; ++i) {
          largest = fmaxf(largest, s[m][i / 2][2 * half + i % 2]);
        }
        moves = moves || largest > bound[m][half];
      }
    }
    if (__any_sync(~0U, static_cast<int>(moves)) != 0) move<Width>(s, value, most);
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int i = 0; i < tensor_columns / 2; ++i) {
        float& weight = s[m][i / 4][i % 4];
        weight = power_of_2(weight);
        sum[m][i % 4 / 2] += weight;
      }
    }
  }

 private:
  template <int Width>
  __device__ __forceinline__ void move(Scores<M>& s, Sums<M, Width>& value,
                                       const float (&most)[M][2]) {
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float largest = largest_of_row(most[m][half]);
        const bool moves = largest > bound[m][half];
        const float by = moves ? largest : 0.0F;
        const float shrink = bound[m][half] == no_score<float> ? 0.0F : power_of_2(-by);
        if (moves) bound[m][half] = 8;
        shift[m][half] += by;
        sum[m][half] *= shrink;
#pragma unroll
        for (int i = 0; i < tensor_columns / 4; ++i) s[m][i / 2][2 * half + i % 2] -= by;
#pragma unroll
        for (int i = 0; i < Width / 4; ++i) value[m][i / 2][2 * half + i % 2] *= shrink;
      }
    }
  }
};

}  // namespace tensor

/// y and logs: a block has a tile of queries and walks the keys.
template <class T, int Width>
__global__ void __launch_bounds__(tensor_threads, is_half<T> ? 3 : 2)
    tensor_attention(const __grid_constant__ AttentionGrid<T> grid) {
  constexpr int M = tensor_groups<T, Width>;
  constexpr int rows = tensor_rows<T, Width>;
  constexpr int step = tensor_step<Width>;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  float* const q = reinterpret_cast<float*>(attention_memory);
  float* const k = q + rows * step;
  float* const v = k + tensor_columns * step;

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
  const tensor::Rows<const T> keys(grid.k.at(b, kh, 0), grid.k.row, plan.keys, plan.width);
  const tensor::Rows<const T> values(grid.v.at(b, kh, 0), grid.v.row, plan.keys, plan.value_width);

  tensor::Slice<T, Width> next_k;
  tensor::Slice<T, Width> next_v;
  next_k.fetch(keys, 0);
  next_v.fetch(values, 0);
  tensor::load_tile<rows, Width>(q, queries, first);
  unsigned left[M];
  unsigned right[tensor_columns / 16];
  tensor::left_addresses<M, false, Width>(left, q);
  tensor::right_addresses<true, Width>(right, k);

  tensor::Softmax<M> softmax;
  tensor::Sums<M, Width> value = {};
  const int64_t end = tensor::visible_before(plan, first + rows);
  const int64_t own_end = own < plan.queries ? tensor::visible_before(plan, own + 16 * M) : 0;
  for (int64_t key = 0; key < end; key += tensor_columns) {
    __syncthreads();
    next_k.put(k);
    next_v.put(v);
    __syncthreads();
    const bool takes_part = key < own_end;
    tensor::Scores<M> s;
    if (takes_part) {
      const unsigned kept = tensor::kept_in_rows<M>(plan, draw, b, h, first, key);
      tensor::score_rows<T, M>(s, left, right, plan, b, h, first, key, softmax.shift);
      softmax.template add<Width>(s, value);
      if (plan.drops()) {
#pragma unroll
        for (int m = 0; m < M; ++m) {
#pragma unroll
          for (int i = 0; i < tensor_columns / 2; ++i) {
            float& weight = s[m][i / 4][i % 4];
            weight = tensor::stays_in_row(kept, m, i / 4, i % 4) ? weight : 0.0F;
          }
        }
      }
    }
    next_k.fetch(keys, key + tensor_columns);
    next_v.fetch(values, key + tensor_columns);
    if (takes_part) tensor::multiply_columns<M, true, Width>(value, s, v);
  }
  float share[M][2];
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float sum = tensor::sum_of_row(softmax.sum[m][half]);
      share[m][half] = sum == 0 ? 0 : (plan.drops() ? plan.kept_factor : 1.0F) / sum;
      const int64_t row = own + tensor_row<M, false>(lane.g, m, half);
      if (lane.t != 0 || row >= plan.queries) continue;
      grid.logs[grid.log_at(b, h, row)] =
          sum == 0 ? no_score<float> : softmax.shift[m][half] * math::ln2<float> + math::log(sum);
    }
  }
  const tensor::Rows<T> out(grid.y.at(b, h, 0), grid.y.row, plan.queries, plan.value_width);
  tensor::store_rows<M, false, Width>(value, out, first, share);
}
#endif

}  // namespace weft::on_cuda
