// Tiles of attention's operands in shared memory, rounded to TF32 for tensor cores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "weft/core/ptx.hpp"
#include "weft/cuda/attention/tiles.hpp"

namespace weft::on_cuda {

/// Threads of a block: four warps, each with its own rows of the block's tiles.
inline constexpr int tensor_threads = 128;
/// How many times 16 rows a warp has. With two, what it loads of the other tile serves two
/// products; with one there are more blocks, and wide rows fit into the registers.
template <class T, int Width>
inline constexpr int tensor_groups = is_half<T> || Width > 64 ? 1 : 2;
/// Rows of a tile along the axis that is divided among blocks, and along the axis that each block
/// walks.
template <class T, int Width>
inline constexpr int tensor_rows = 64 * tensor_groups<T, Width>;
inline constexpr int tensor_columns = 32;
/// The same for gradients: 16 rows a warp leave room for a third block, which gains more than fewer
/// loads do.
inline constexpr int gradient_groups = 1;
inline constexpr int gradient_rows = 64 * gradient_groups;

/// Elements from a row of a tile to the next: 4 more than a multiple of 32.
template <int Width>
inline constexpr int tensor_step = Width + 4;

/// Where row r of a tile lies among its rows: such that all eight rows that a fragment takes lie in
/// different banks, of those that tensor_row and tensor_column give.
WEFT_HD constexpr int tensor_place(int r) {
  return (r & ~7) | ((r ^ r >> 4) & 1) | (r >> 1 & 2) | ((r << 1 ^ r >> 1) & 4);
}

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
template <class T>
__device__ __forceinline__ float rounded(T x) {
  if constexpr (is_half<T>) {
    return load_element(x);
  } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return x;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return __uint_as_float(weft::detail::ptx::cvt_rn_tf32(x));
#else
    return __uint_as_float(weft::detail::ptx::cvt_tf32(x));
#endif
  }
}

/// Four neighbouring elements, loaded and stored together.
template <class T>
struct alignas(sizeof(T) * 4) Four {
  T element[4];
};

/// Rows of an operand's head, `whole` if they consist of fours.
template <class T>
struct Rows {
  T* from;
  int64_t step;
  int64_t count;
  int width;
  bool whole;

  __device__ Rows(T* data, int64_t row, int64_t rows, int64_t columns)
      : from(data),
        step(row),
        count(rows),
        width(static_cast<int>(columns)),
        whole(row % 4 == 0 && width % 4 == 0 &&
              reinterpret_cast<std::uintptr_t>(data) % sizeof(Four<T>) == 0) {}
};

/// 32 rows on their way into a tile: fetch() starts it, put() ends it, with zeros beyond the ends.
template <class T, int Width>
struct Slice {
  static constexpr int chunks = Width / 4;
  static constexpr int rows_at_once = tensor_threads / chunks;
  static constexpr int each = tensor_columns / rows_at_once;
  /// Four elements, as words: where half types are apart, one load waits for another.
  struct alignas(sizeof(T) * 4) Words {
    unsigned word[sizeof(T)];
  };
  Words four[each];

  __device__ __forceinline__ void fetch(const Rows<const T>& rows, int64_t first) {
    const int r = static_cast<int>(threadIdx.x) / chunks;
    const int c = static_cast<int>(threadIdx.x) % chunks * 4;
    const int64_t left = rows.count - first - r;
    const T* at = rows.from + (first + r) * rows.step + c;
#pragma unroll
    for (int n = 0; n < each; ++n) four[n] = {};
    if (rows.whole) {
#pragma unroll
      for (int n = 0; n < each; ++n) {
        if (n * rows_at_once < left && c < rows.width) {
          four[n] = *reinterpret_cast<const Words*>(at);
        }
        at += rows_at_once * rows.step;
      }
    } else {
      unsigned columns = rows.width > c ? static_cast<unsigned>(rows.width - c) : 0;
      weft::detail::ptx::forget_origin(columns);  // else predicates of it fill registers
#pragma unroll
      for (int n = 0; n < each; ++n) {
        Four<T> x = {};
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
          if (n * rows_at_once < left && i < columns) x.element[i] = at[i];
        }
        four[n] = __builtin_bit_cast(Words, x);
        at += rows_at_once * rows.step;
      }
    }
  }
  __device__ __forceinline__ void put(float* tile) {
    const int r = static_cast<int>(threadIdx.x) / chunks;
    const int c = static_cast<int>(threadIdx.x) % chunks * 4;
#pragma unroll
    for (int n = 0; n < each; ++n) {
#pragma unroll
      for (unsigned& word : four[n].word) weft::detail::ptx::keep_whole(word);
      const auto x = __builtin_bit_cast(Four<T>, four[n]);
      const int place = tensor_place(r + n * rows_at_once);
      *reinterpret_cast<float4*>(tile + place * tensor_step<Width> + c) =
          make_float4(rounded(x.element[0]), rounded(x.element[1]), rounded(x.element[2]),
                      rounded(x.element[3]));
    }
  }
};

/// Loads N rows from `first` on into a tile.
template <int N, int Width, class T>
__device__ __forceinline__ void load_tile(float* tile, const Rows<const T>& rows, int64_t first) {
  Slice<T, Width> slices[N / tensor_columns];  // all on their way before the first is used
#pragma unroll
  for (int i = 0; i < N / tensor_columns; ++i) slices[i].fetch(rows, first + i * tensor_columns);
#pragma unroll
  for (int i = 0; i < N / tensor_columns; ++i) {
    slices[i].put(tile + i * tensor_columns * tensor_step<Width>);
  }
}

}  // namespace tensor
#endif

}  // namespace weft::on_cuda
