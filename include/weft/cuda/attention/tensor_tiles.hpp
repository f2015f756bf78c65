// Products of tiles by tensor cores in TF32, for attention: a warp has 16 rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "weft/core/ptx.hpp"
#include "weft/cuda/attention/tiles.hpp"

namespace weft::on_cuda {

/// Rows of a tile along the axis that is divided among blocks, 16 per warp, and along the axis that
/// each block walks.
inline constexpr int tensor_rows = 64;
inline constexpr int tensor_threads = 2 * tensor_rows;
template <int Width>
inline constexpr int tensor_columns = Width > 64 ? 32 : 64;

/// Elements from a row of a tile to the next: 4 more than a multiple of 32, so that neither rows
/// nor columns of a fragment have bank conflicts in shared memory.
template <int Width>
inline constexpr int tensor_step = Width + 4;

/// Whether all queries of a tile attend to all of its keys.
WEFT_HD inline bool is_plain_tile(const AttentionPlan& plan, int64_t query, int queries,
                                  int64_t key, int keys) {
  return plan.added == nullptr && plan.allowed == nullptr && query + queries <= plan.queries &&
         key + keys <= plan.visible(query);
}

#if defined(__CUDACC__)
/// Whether this file is compiled for GPUs with TF32 alone: for others its kernels are empty.
constexpr bool compiled_for_tensor_cores() {
#if defined(__CUDA_ARCH_LIST__)
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    if (architecture < 800) return false;
  }
  return true;
#else
  return false;
#endif
}

namespace tensor {

/// x with the 10 bits of mantissa that TF32 has, rounded. Half types have no more.
__device__ __forceinline__ float rounded(float x) {
#if __CUDA_ARCH__ >= 800
  return __uint_as_float(weft::detail::ptx::cvt_tf32(x));
#else
  return x;
#endif
}

/// c += a b for 16 rows, 8 columns and 8 terms. With g = lane / 4 and t = lane % 4 a thread has
/// a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4); b: (t, g), (t + 4, g); c: (g, 2 t), (g, 2 t +
/// 1), (g + 8, 2 t), (g + 8, 2 t + 1).
__device__ __forceinline__ void multiply(float (&c)[4], const float (&a)[4], float b0, float b1) {
#if __CUDA_ARCH__ >= 800
  weft::detail::ptx::mma_tf32(c, a, b0, b1);
#else
  (void)c, (void)a, (void)b0, (void)b1;
#endif
}

/// Loads rows from `first` on into a tile of N rows, with zeros beyond the ends.
template <int N, int Width, class T>
__device__ __forceinline__ void load_tile(float* tile, const T* from, int64_t row, int64_t first,
                                          int64_t count, int width) {
  struct alignas(sizeof(T) * 4) Four {
    T element[4];
  };
  constexpr int chunks = Width / 4;
  constexpr int each = N * chunks / tensor_threads;
  const bool whole =
      row % 4 == 0 && width % 4 == 0 && reinterpret_cast<std::uintptr_t>(from) % sizeof(Four) == 0;
  Four four[each] = {};  // all on their way before the first is used
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const int at = static_cast<int>(threadIdx.x) + n * tensor_threads;
    const int r = at / chunks;
    const int c = at % chunks * 4;
    const T* const source = from + (first + r) * row + c;
    if (first + r >= count || c >= width) continue;
    if (whole) {
      four[n] = *reinterpret_cast<const Four*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (c + i < width) four[n].element[i] = source[i];
      }
    }
  }
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const int at = static_cast<int>(threadIdx.x) + n * tensor_threads;
    float value[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i] = rounded(load_element(four[n].element[i]));
    *reinterpret_cast<float4*>(tile + at / chunks * tensor_step<Width> + at % chunks * 4) =
        make_float4(value[0], value[1], value[2], value[3]);
  }
}

/// s = a b^T: 16 rows of a from `rows`, N rows of b.
template <int N, int Width>
__device__ __forceinline__ void multiply_rows(float (&s)[N / 8][4], const float* rows,
                                              const float* b) {
  constexpr int step = tensor_step<Width>;
  const int g = static_cast<int>(threadIdx.x) % 32 / 4;
  const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int j = 0; j < N / 8; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) s[j][i] = 0;
  }
#pragma unroll 4
  for (int k = 0; k < Width; k += 8) {
    const float* const at = rows + g * step + k + t;
    const float a[4] = {at[0], at[8 * step], at[4], at[8 * step + 4]};
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
      const float* const right = b + (8 * j + g) * step + k + t;
      multiply(s[j], a, right[0], right[4]);
    }
  }
}

/// out += s b: 16 rows of N terms, which lie as multiply_rows gives them, times N rows of b. Terms
/// are taken in an order in which they need not change lanes: 2 t for t, 2 t + 1 for t + 4.
template <int N, int Width>
__device__ __forceinline__ void multiply_columns(float (&out)[Width / 8][4],
                                                 const float (&s)[N / 8][4], const float* b) {
  constexpr int step = tensor_step<Width>;
  const int g = static_cast<int>(threadIdx.x) % 32 / 4;
  const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int j = 0; j < N / 8; ++j) {
    const float a[4] = {rounded(s[j][0]), rounded(s[j][2]), rounded(s[j][1]), rounded(s[j][3])};
    const float* const right = b + (8 * j + 2 * t) * step + g;
#pragma unroll
    for (int e = 0; e < Width / 8; ++e) multiply(out[e], a, right[8 * e], right[8 * e + step]);
  }
}

/// Dropout's factors. A block of random bits serves four neighbouring keys: if their number allows
/// it, each thread makes one block and gets the rest from its neighbours.
__device__ __forceinline__ float kept_of(const AttentionPlan& plan, std::uint32_t bits) {
  return bits < plan.dropped ? 0.0F : plan.kept_factor;
}
/// For a thread's four weights, with queries as rows: (row, key), (row, key + 1), (row + 8, key),
/// (row + 8, key + 1).
__device__ __forceinline__ void kept_in_rows(const AttentionPlan& plan, const Draw& draw, int64_t b,
                                             int64_t h, int64_t row, int64_t key,
                                             float (&kept)[4]) {
  if (plan.keys % 4 != 0) {
#pragma unroll
    for (int i = 0; i < 4; ++i) kept[i] = plan.kept(draw, b, h, row + 8 * (i / 2), key + i % 2);
    return;
  }
  const bool odd = threadIdx.x % 2 != 0;
  const int64_t line = (b * plan.heads + h) * plan.queries + row + (odd ? 8 : 0);
  const auto x = draw.block(static_cast<std::uint64_t>(line * (plan.keys / 4) + key / 4));
  const std::uint32_t other[] = {__shfl_xor_sync(~0U, odd ? x.a : x.c, 1),
                                 __shfl_xor_sync(~0U, odd ? x.b : x.d, 1)};
  kept[0] = kept_of(plan, odd ? other[0] : x.a);
  kept[1] = kept_of(plan, odd ? other[1] : x.b);
  kept[2] = kept_of(plan, odd ? x.c : other[0]);
  kept[3] = kept_of(plan, odd ? x.d : other[1]);
}
/// The same with keys as rows: (query, key), (query + 1, key), (query, key + 8), (query + 1, key +
/// 8), with keys that are neighbours in every fourth thread.
__device__ __forceinline__ void kept_in_columns(const AttentionPlan& plan, const Draw& draw,
                                                int64_t b, int64_t h, int64_t query, int64_t key,
                                                float (&kept)[4]) {
  if (plan.keys % 4 != 0) {
#pragma unroll
    for (int i = 0; i < 4; ++i) kept[i] = plan.kept(draw, b, h, query + i % 2, key + 8 * (i / 2));
    return;
  }
  const int own = static_cast<int>(threadIdx.x) / 4 % 4;  // of four threads: makes block number own
  const int64_t line = (b * plan.heads + h) * plan.queries + query + own % 2;
  const auto x =
      draw.block(static_cast<std::uint64_t>(line * (plan.keys / 4) + key / 4 + 2 * (own / 2)));
#pragma unroll
  for (int d = 0; d < 4; ++d) {
    const int with = own ^ d;
    const std::uint32_t sent = with == 0 ? x.a : with == 1 ? x.b : with == 2 ? x.c : x.d;
    const float factor = kept_of(plan, __shfl_xor_sync(~0U, sent, 4 * d));
#pragma unroll
    for (int i = 0; i < 4; ++i) kept[i] = i == with ? factor : kept[i];
  }
}

/// Over the four threads that share a row.
__device__ __forceinline__ float largest_of_row(float x) { return largest_of_threads<4>(x); }
__device__ __forceinline__ float sum_of_row(float x) { return sum_of_threads<4>(x); }

/// Writes 16 rows times `factor[half]`, a factor for the first eight and one for the others.
template <int Width, class T>
__device__ __forceinline__ void store_rows(const float (&x)[Width / 8][4], T* to, int64_t row,
                                           int64_t first, int64_t count, int width,
                                           const float (&factor)[2]) {
  const int g = static_cast<int>(threadIdx.x) % 32 / 4;
  const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t i = first + g + 8 * half;
    if (i >= count) continue;
#pragma unroll
    for (int e = 0; e < Width / 8; ++e) {
      const int c = 8 * e + 2 * t;
      if (c < width) to[i * row + c] = store_element<T>(x[e][2 * half] * factor[half]);
      if (c + 1 < width) to[i * row + c + 1] = store_element<T>(x[e][2 * half + 1] * factor[half]);
    }
  }
}

}  // namespace tensor
#endif

}  // namespace weft::on_cuda
