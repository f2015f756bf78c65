// The kernel of attention on tensor cores, in TF32, which is exact for half types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tensor_tiles.hpp"

namespace weft::on_cuda {

/// Bytes of shared memory: a tile of queries, one of keys and one of values.
template <int Width>
constexpr int tensor_forward_bytes() {
  return (tensor_rows + 2 * tensor_columns<Width>)*tensor_step<Width> * 4;
}

#if defined(__CUDACC__)
/// y and logs: a block has a tile of queries and walks the keys.
template <class T, int Width>
__global__ void __launch_bounds__(tensor_threads, Width > 64 ? 3 : 4)
    tensor_attention(const __grid_constant__ AttentionGrid<T> grid) {
  constexpr int N = tensor_columns<Width>;
  constexpr int step = tensor_step<Width>;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  float* const q = reinterpret_cast<float*>(attention_memory);
  float* const k = q + tensor_rows * step;
  float* const v = k + N * step;

  const AttentionPlan& plan = grid.plan;
  const AttentionPlace place = attention_place(grid.tiles, plan.heads);
  const int64_t b = place.b;
  const int64_t h = place.h;
  const int64_t kh = h / (plan.heads / plan.key_heads);
  const int64_t first = int64_t{place.tile} * tensor_rows;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int g = static_cast<int>(threadIdx.x) % 32 / 4;
  const int t = static_cast<int>(threadIdx.x) % 4;
  const auto width = static_cast<int>(plan.width);
  const auto value_width = static_cast<int>(plan.value_width);
  Draw draw = plan.draw;
  draw.resolve();

  tensor::load_tile<tensor_rows, Width>(q, grid.q.at(b, h, 0), grid.q.row, first, plan.queries,
                                        width);
  float most[2] = {no_score<float>, no_score<float>};
  float sum[2] = {};
  float value[Width / 8][4] = {};
  const int64_t last = first + tensor_rows < plan.queries ? first + tensor_rows : plan.queries;
  const int64_t end = plan.visible(last - 1);
  for (int64_t key = 0; key < end; key += N) {
    __syncthreads();
    tensor::load_tile<N, Width>(k, grid.k.at(b, kh, 0), grid.k.row, key, plan.keys, width);
    tensor::load_tile<N, Width>(v, grid.v.at(b, kh, 0), grid.v.row, key, plan.keys, value_width);
    __syncthreads();
    float s[N / 8][4];
    tensor::multiply_rows<N, Width>(s, q + 16 * warp * step, k);
    const bool plain = is_plain_tile(plan, first, tensor_rows, key, N);
    const auto scale = static_cast<float>(plan.scale);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t row = first + 16 * warp + g + 8 * half;
      float here = most[half];
#pragma unroll
      for (int j = 0; j < N / 8; ++j) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          s[j][i] = plain
                        ? s[j][i] * scale
                        : attention_score<T>(plan, b, h, row, key + 8 * j + 2 * t + i % 2, s[j][i]);
          here = s[j][i] > here ? s[j][i] : here;
        }
      }
      here = tensor::largest_of_row(here);
      const float shift = here == no_score<float> ? 0.0F : here;
      const float shrink = math::exp_of_term(most[half] - shift);
      most[half] = here;
      float part = 0;
#pragma unroll
      for (int j = 0; j < N / 8; ++j) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          s[j][i] = math::exp_of_term(s[j][i] - shift);
          part += s[j][i];
        }
      }
      sum[half] = sum[half] * shrink + tensor::sum_of_row(part);
#pragma unroll
      for (int e = 0; e < Width / 8; ++e) {
        value[e][2 * half] *= shrink;
        value[e][2 * half + 1] *= shrink;
      }
    }
    if (plan.drops()) {
#pragma unroll
      for (int j = 0; j < N / 8; ++j) {
        float kept[4];
        tensor::kept_in_rows(plan, draw, b, h, first + 16 * warp + g, key + 8 * j + 2 * t, kept);
#pragma unroll
        for (int i = 0; i < 4; ++i) s[j][i] *= kept[i];
      }
    }
    tensor::multiply_columns<N, Width>(value, s, v);
  }
  const float share[2] = {sum[0] == 0 ? 0 : 1 / sum[0], sum[1] == 0 ? 0 : 1 / sum[1]};
  tensor::store_rows<Width>(value, grid.y.at(b, h, 0), grid.y.row, first + 16 * warp, plan.queries,
                            value_width, share);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = first + 16 * warp + g + 8 * half;
    if (t != 0 || row >= plan.queries) continue;
    grid.logs[grid.log_at(b, h, row)] =
        sum[half] == 0 ? no_score<float> : most[half] + math::log(sum[half]);
  }
}
#endif

}  // namespace weft::on_cuda
