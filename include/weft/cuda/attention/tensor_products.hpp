// Products of tiles by tensor cores in TF32, for attention: each warp has rows of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/tensor_tiles.hpp"

namespace weft::on_cuda {

/// Of a warp's M times 16 rows, that of the product's row g + 8 half in group m. Queries keep their
/// order. Keys are such that a thread, or two for M = 1, have four neighbours, whose dropout is
/// drawn at once.
template <int M, bool Keys>
WEFT_HD constexpr int tensor_row(int g, int m, int half) {
  if (!Keys) return 16 * m + 8 * half + g;
  return M == 2 ? 4 * g + 2 * m + half : 4 * (g / 2) + g % 2 + 2 * half;
}
/// Of the tile that is walked, the row that is column n of the product's j-th 8 columns. A thread,
/// which has columns 2 t and 2 t + 1, gets four neighbouring keys of each 16.
template <bool Keys>
WEFT_HD constexpr int tensor_column(int j, int n) {
  return Keys ? 16 * (j / 2) + 4 * (n / 2) + 2 * (j % 2) + n % 2 : 8 * j + n;
}

#if defined(__CUDACC__)
namespace tensor {

/// c += a b for 16 rows, 8 columns and 8 terms. With g = lane / 4 and t = lane % 4 a thread has
/// a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4); b: (t, g), (t + 4, g); c: (g, 2 t), (g, 2 t +
/// 1), (g + 8, 2 t), (g + 8, 2 t + 1).
__device__ __forceinline__ void multiply(float (&c)[4], const float (&a)[4], float b0, float b1) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  (void)c, (void)a, (void)b0, (void)b1;
#else
  weft::detail::ptx::mma_tf32(c, a, b0, b1);
#endif
}

/// Where a thread is in its warp, as the fragments above have it.
struct Lane {
  int g = static_cast<int>(threadIdx.x) % 32 / 4;
  int t = static_cast<int>(threadIdx.x) % 4;
};
__device__ __forceinline__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

/// The shared addresses from which a thread loads its warp's rows of a tile as left fragments, and
/// all rows of a walked tile as right ones.
template <int M, bool Keys, int Width>
__device__ __forceinline__ void left_addresses(unsigned (&at)[M], const float* tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int m = 0; m < M; ++m) {
    const int r = 16 * M * warp() + tensor_row<M, Keys>(lane % 8, m, lane / 8 % 2);
    at[m] = weft::detail::ptx::shared_address(tile + tensor_place(r) * tensor_step<Width> +
                                              lane / 16 * 4);
  }
}
template <bool Keys, int Width>
__device__ __forceinline__ void right_addresses(unsigned (&at)[tensor_columns / 16],
                                                const float* tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < tensor_columns / 16; ++i) {
    const int r = tensor_column<Keys>(2 * i + lane / 16, lane % 8);
    at[i] = weft::detail::ptx::shared_address(tile + tensor_place(r) * tensor_step<Width> +
                                              lane / 8 % 2 * 4);
  }
}
__device__ __forceinline__ void load_fragment(float (&x)[4], unsigned at) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  (void)x, (void)at;
#else
  weft::detail::ptx::ldmatrix_x4(x, at);
#endif
}

/// A warp's products: M times 16 rows, by 8 columns.
template <int M>
using Scores = float[M][tensor_columns / 8][4];
template <int M, int Width>
using Sums = float[M][Width / 8][4];

/// s = a b^T, of `width` terms. The tiles may lie behind those of the addresses.
template <int M, int BehindA = 0, int BehindB = 0>
__device__ __forceinline__ void multiply_rows(Scores<M>& s, const unsigned (&a)[M],
                                              const unsigned (&b)[tensor_columns / 16], int width) {
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int i = 0; i < tensor_columns / 2; ++i) s[m][i / 4][i % 4] = 0;
  }
#pragma unroll 1
  for (int k = 0; k < width; k += 32) {
#pragma unroll
    for (int d = 0; d < 32; d += 8) {
      float left[M][4];
#pragma unroll
      for (int m = 0; m < M; ++m) load_fragment(left[m], a[m] + 4 * (k + d + BehindA));
#pragma unroll
      for (int j = 0; j < tensor_columns / 8; j += 2) {
        float right[4];
        load_fragment(right, b[j / 2] + 4 * (k + d + BehindB));
#pragma unroll
        for (int m = 0; m < M; ++m) {
          multiply(s[m][j], left[m], right[0], right[1]);
          multiply(s[m][j + 1], left[m], right[2], right[3]);
        }
      }
    }
  }
}

/// out += s b for s as multiply_rows gives it. Terms are taken in an order in which they need not
/// change lanes: 2 t for t, 2 t + 1 for t + 4; and columns such that a thread loads four at once:
/// product 4 e + i has column 32 e + 4 n + i for n.
template <int M, bool Keys, int Width>
__device__ __forceinline__ void multiply_columns(Sums<M, Width>& out, const Scores<M>& s,
                                                 const float* b) {
  const Lane lane;
#pragma unroll
  for (int j = 0; j < tensor_columns / 8; ++j) {
    const float* const row[2] = {
        b + tensor_place(tensor_column<Keys>(j, 2 * lane.t)) * tensor_step<Width> + 4 * lane.g,
        b + tensor_place(tensor_column<Keys>(j, 2 * lane.t + 1)) * tensor_step<Width> + 4 * lane.g};
    float left[M][4];
#pragma unroll
    for (int m = 0; m < M; ++m) {
      left[m][0] = rounded(s[m][j][0]);
      left[m][1] = rounded(s[m][j][2]);
      left[m][2] = rounded(s[m][j][1]);
      left[m][3] = rounded(s[m][j][3]);
    }
#pragma unroll
    for (int e = 0; e < Width / 32; ++e) {
      const float4 x = *reinterpret_cast<const float4*>(row[0] + 32 * e);
      const float4 y = *reinterpret_cast<const float4*>(row[1] + 32 * e);
#pragma unroll
      for (int m = 0; m < M; ++m) {
        multiply(out[m][4 * e], left[m], x.x, y.x);
        multiply(out[m][4 * e + 1], left[m], x.y, y.y);
        multiply(out[m][4 * e + 2], left[m], x.z, y.z);
        multiply(out[m][4 * e + 3], left[m], x.w, y.w);
      }
    }
  }
}

/// The products of a warp's queries' values and gradients; eight threads have a row.
template <int M, int Width, class T>
__device__ __forceinline__ void multiply_along(float (&sum)[4 * M], const Rows<const T>& y,
                                               const Rows<const T>& g, int64_t first) {
  const int64_t row = first + 16 * M * warp() + threadIdx.x % 32 / 8;
  const int c = static_cast<int>(threadIdx.x) % 8 * 4;
#pragma unroll
  for (int i = 0; i < 4 * M; ++i) sum[i] = 0;
  if (y.whole && g.whole) {
#pragma unroll
    for (int i = 0; i < 4 * M; ++i) {
#pragma unroll
      for (int d = 0; d < Width; d += 32) {
        Four<T> left = {};
        Four<T> right = {};
        if (row + 4 * i < y.count && c + d < y.width) {
          left = *reinterpret_cast<const Four<T>*>(y.from + (row + 4 * i) * y.step + c + d);
          right = *reinterpret_cast<const Four<T>*>(g.from + (row + 4 * i) * g.step + c + d);
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          sum[i] += load_element(left.element[n]) * load_element(right.element[n]);
        }
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4 * M; ++i) {
      const int width = row + 4 * i < y.count ? y.width : 0;
#pragma unroll 1
      for (int d = c / 4; d < width; d += 8) {
        sum[i] += load_element(y.from[(row + 4 * i) * y.step + d]) *
                  load_element(g.from[(row + 4 * i) * g.step + d]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4 * M; ++i) sum[i] = sum_of_threads<8>(sum[i]);
}

/// Over the four threads that share a row.
__device__ __forceinline__ float largest_of_row(float x) { return largest_of_threads<4>(x); }
__device__ __forceinline__ float sum_of_row(float x) { return sum_of_threads<4>(x); }

/// Writes a warp's rows of a tile that begins at `first`, times the factor of each.
template <int M, bool Keys, int Width, class T>
__device__ __forceinline__ void store_rows(const Sums<M, Width>& x, const Rows<T>& to,
                                           int64_t first, const float (&factor)[M][2]) {
  const Lane lane;
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t i = first + 16 * M * warp() + tensor_row<M, Keys>(lane.g, m, half);
      if (i >= to.count) continue;
      T* const row = to.from + i * to.step;
#pragma unroll
      for (int e = 0; e < Width / 16; ++e) {
        const int c = e / 2 * 32 + 8 * lane.t + e % 2 * 4;
        Four<T> four;
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          four.element[n] =
              store_element<T>(x[m][e / 2 * 4 + n][2 * half + e % 2] * factor[m][half]);
        }
        if (to.whole) {
          if (c < to.width) *reinterpret_cast<Four<T>*>(row + c) = four;
        } else {
#pragma unroll
          for (int n = 0; n < 4; ++n) {
            if (c + n < to.width) row[c + n] = four.element[n];
          }
        }
      }
    }
  }
}

}  // namespace tensor
#endif

}  // namespace weft::on_cuda
