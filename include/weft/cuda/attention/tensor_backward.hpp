// The kernels of attention's gradients on tensor cores, in TF32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tensor_tiles.hpp"

namespace weft::on_cuda {

/// Bytes of shared memory: two tiles of the block's rows and two of the rows that it walks, with
/// their logarithms and products.
template <int Width>
constexpr int tensor_backward_bytes() {
  return 2 * (tensor_rows + tensor_columns<Width>)*tensor_step<Width> * 4 +
         2 * tensor_columns<Width> * 4;
}

#if defined(__CUDACC__)
namespace tensor {

/// From the products of query and key (plain: nothing is masked), and of gradient and value: the
/// weight that went into the value, and the gradient of the score.
template <class T>
__device__ __forceinline__ void weigh(const AttentionPlan& plan, int64_t b, int64_t h, int64_t row,
                                      int64_t column, bool plain, float log, float along,
                                      float kept, float& product, float& change) {
  const float score = plain ? product * static_cast<float>(plan.scale)
                            : attention_score<T>(plan, b, h, row, column, product);
  const float weight = math::exp_of_term(score - (log == no_score<float> ? 0.0F : log));
  change = weight * (change * kept - along);
  product = weight * kept;
}

}  // namespace tensor

/// The gradient of a tile of queries: each tile of keys adds to it.
template <class T, int Width>
__global__ void __launch_bounds__(tensor_threads, Width > 64 ? 2 : 3)
    tensor_query_gradient(const __grid_constant__ AttentionGrid<T> grid) {
  constexpr int N = tensor_columns<Width>;
  constexpr int step = tensor_step<Width>;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  float* const q = reinterpret_cast<float*>(attention_memory);
  float* const gradient = q + tensor_rows * step;
  float* const k = gradient + tensor_rows * step;
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
  tensor::load_tile<tensor_rows, Width>(gradient, grid.gradient.at(b, h, 0), grid.gradient.row,
                                        first, plan.queries, value_width);
  float log[2] = {};
  float along[2] = {};
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = first + 16 * warp + g + 8 * half;
    if (row >= plan.queries) continue;
    log[half] = grid.logs[grid.log_at(b, h, row)];
    along[half] = grid.along[grid.log_at(b, h, row)];
  }
  float out[Width / 8][4] = {};
  const int64_t last = first + tensor_rows < plan.queries ? first + tensor_rows : plan.queries;
  const int64_t end = plan.visible(last - 1);
  for (int64_t key = 0; key < end; key += N) {
    __syncthreads();
    tensor::load_tile<N, Width>(k, grid.k.at(b, kh, 0), grid.k.row, key, plan.keys, width);
    tensor::load_tile<N, Width>(v, grid.v.at(b, kh, 0), grid.v.row, key, plan.keys, value_width);
    __syncthreads();
    const bool plain = is_plain_tile(plan, first, tensor_rows, key, N);
    float product[N / 8][4];
    float change[N / 8][4];
    tensor::multiply_rows<N, Width>(product, q + 16 * warp * step, k);
    tensor::multiply_rows<N, Width>(change, gradient + 16 * warp * step, v);
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
      const int64_t row = first + 16 * warp + g;
      const int64_t column = key + 8 * j + 2 * t;
      float kept[4] = {1, 1, 1, 1};
      if (plan.drops()) tensor::kept_in_rows(plan, draw, b, h, row, column, kept);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        tensor::weigh<T>(plan, b, h, row + 8 * (i / 2), column + i % 2, plain, log[i / 2],
                         along[i / 2], kept[i], product[j][i], change[j][i]);
      }
    }
    tensor::multiply_columns<N, Width>(out, change, k);
  }
  const auto scale = static_cast<float>(plan.scale);
  tensor::store_rows<Width>(out, grid.dq.at(b, h, 0), grid.dq.row, first + 16 * warp, plan.queries,
                            width, {scale, scale});
}

/// The gradients of a tile of keys and values: each tile of queries, of all heads that read them,
/// adds to them.
template <class T, int Width>
__global__ void __launch_bounds__(tensor_threads, Width > 64 ? 2 : 3)
    tensor_key_gradient(const __grid_constant__ AttentionGrid<T> grid) {
  constexpr int N = tensor_columns<Width>;
  constexpr int step = tensor_step<Width>;
  extern __shared__ __align__(16) unsigned char attention_memory[];
  float* const k = reinterpret_cast<float*>(attention_memory);
  float* const v = k + tensor_rows * step;
  float* const q = v + tensor_rows * step;
  float* const gradient = q + N * step;
  float* const logs = gradient + N * step;
  float* const along = logs + N;

  const AttentionPlan& plan = grid.plan;
  const AttentionPlace place = attention_place(grid.tiles, plan.key_heads);
  const int64_t b = place.b;
  const int64_t kh = place.h;
  const int64_t group = plan.heads / plan.key_heads;
  const int64_t key = int64_t{place.tile} * tensor_rows;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int g = static_cast<int>(threadIdx.x) % 32 / 4;
  const int t = static_cast<int>(threadIdx.x) % 4;
  const auto width = static_cast<int>(plan.width);
  const auto value_width = static_cast<int>(plan.value_width);
  Draw draw = plan.draw;
  draw.resolve();

  tensor::load_tile<tensor_rows, Width>(k, grid.k.at(b, kh, 0), grid.k.row, key, plan.keys, width);
  tensor::load_tile<tensor_rows, Width>(v, grid.v.at(b, kh, 0), grid.v.row, key, plan.keys,
                                        value_width);
  float dk[Width / 8][4] = {};
  float dv[Width / 8][4] = {};
  for (int64_t h = kh * group; h < (kh + 1) * group; ++h) {
    for (int64_t first = 0; first < plan.queries; first += N) {
      const int64_t last = first + N < plan.queries ? first + N : plan.queries;
      if (plan.visible(last - 1) <= key) continue;
      __syncthreads();
      tensor::load_tile<N, Width>(q, grid.q.at(b, h, 0), grid.q.row, first, plan.queries, width);
      tensor::load_tile<N, Width>(gradient, grid.gradient.at(b, h, 0), grid.gradient.row, first,
                                  plan.queries, value_width);
      for (int i = static_cast<int>(threadIdx.x); i < N; i += tensor_threads) {
        const bool there = first + i < plan.queries;
        logs[i] = there ? grid.logs[grid.log_at(b, h, first + i)] : 0.0F;
        along[i] = there ? grid.along[grid.log_at(b, h, first + i)] : 0.0F;
      }
      __syncthreads();
      const bool plain = is_plain_tile(plan, first, N, key, tensor_rows);
      float product[N / 8][4];  // rows are keys, columns queries
      float change[N / 8][4];
      tensor::multiply_rows<N, Width>(product, k + 16 * warp * step, q);
      tensor::multiply_rows<N, Width>(change, v + 16 * warp * step, gradient);
#pragma unroll
      for (int j = 0; j < N / 8; ++j) {
        const int query = 8 * j + 2 * t;
        const int64_t row = key + 16 * warp + g;
        float kept[4] = {1, 1, 1, 1};
        if (plan.drops()) tensor::kept_in_columns(plan, draw, b, h, first + query, row, kept);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int of = query + i % 2;
          tensor::weigh<T>(plan, b, h, first + of, row + 8 * (i / 2), plain, logs[of], along[of],
                           kept[i], product[j][i], change[j][i]);
        }
      }
      tensor::multiply_columns<N, Width>(dv, product, gradient);
      tensor::multiply_columns<N, Width>(dk, change, q);
    }
  }
  const auto scale = static_cast<float>(plan.scale);
  tensor::store_rows<Width>(dk, grid.dk.at(b, kh, 0), grid.dk.row, key + 16 * warp, plan.keys,
                            width, {scale, scale});
  tensor::store_rows<Width>(dv, grid.dv.at(b, kh, 0), grid.dv.row, key + 16 * warp, plan.keys,
                            value_width, {1.0F, 1.0F});
}
#endif

}  // namespace weft::on_cuda
