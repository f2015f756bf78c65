// What the kernels of attention share: their arguments, tiles in shared memory, and scores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"
#include "weft/cuda/primitive/warp.hpp"
#include "weft/ops/linalg/attention.hpp"

namespace weft::on_cuda {

/// The most columns of queries, keys and values.
inline constexpr int attention_width = 128;
/// Threads of a block, 16 by 16: each has every 16th row and column of a tile of scores.
inline constexpr int attention_threads = 256;

/// A thread's rows of a tile of queries, in the forward and in the backward pass, and of a tile of
/// keys.
template <class C>
inline constexpr int attention_queries = sizeof(C) > 4 ? 2 : 4;
template <class C>
inline constexpr int attention_backward = sizeof(C) > 4 ? 1 : 2;
template <class C>
inline constexpr int attention_keys = attention_backward<C>;

/// The score of a masked key.
template <class C>
inline constexpr C no_score = -std::numeric_limits<C>::infinity();

/// The arguments of a kernel; the backward pass reads `gradient` and writes the gradients. `along`
/// gets, for each query, the product of the value and its gradient.
template <class T>
struct AttentionGrid {
  using C = compute_t<T>;
  AttentionPlan plan;
  AttentionRows<const T> q;
  AttentionRows<const T> k;
  AttentionRows<const T> v;
  AttentionRows<T> y;
  C* logs = nullptr;
  AttentionRows<const T> gradient;
  C* along = nullptr;
  AttentionRows<T> dq;
  AttentionRows<T> dk;
  AttentionRows<T> dv;
  int tiles = 1;  // of queries, or of keys where a block has keys

  WEFT_HD int64_t log_at(int64_t b, int64_t h, int64_t i) const {
    return (b * plan.heads + h) * plan.queries + i;
  }
};

#if defined(__CUDACC__)

/// A block's part: a tile of a head.
struct AttentionPlace {
  int64_t b;
  int64_t h;
  int tile;
};
/// There are fewer than 2^31 blocks, hence heads: division of 64 bits takes three times as long.
__device__ __forceinline__ AttentionPlace attention_place(int tiles, int64_t heads) {
  const unsigned head = blockIdx.x / static_cast<unsigned>(tiles);
  const auto count = static_cast<unsigned>(heads);
  return {head / count, head % count,
          static_cast<int>(blockIdx.x - head * static_cast<unsigned>(tiles))};
}
/// The tile of queries of a head's n-th block: causal ones begin with the last, which see the most
/// keys, so that short ones fill the multiprocessors at the end.
__device__ __forceinline__ int long_tiles_first(const AttentionPlan& plan, int tiles, int n) {
  return plan.causal ? tiles - 1 - n : n;
}
/// The head of keys that a head of queries reads.
__device__ __forceinline__ int64_t key_head_of(const AttentionPlan& plan, int64_t h) {
  if (plan.heads == plan.key_heads) return h;
  return static_cast<unsigned>(h) /
         (static_cast<unsigned>(plan.heads) / static_cast<unsigned>(plan.key_heads));
}

/// Loads `count` rows of `width` columns, from `first` on, into a tile of N rows, Step apart; 0
/// beyond the ends.
template <int N, int Step, class C, class T>
__device__ __forceinline__ void load_rows(C* tile, const T* from, int64_t row, int64_t first,
                                          int64_t count, int width, int padded) {
  for (int at = static_cast<int>(threadIdx.x); at < N * padded; at += attention_threads) {
    const int r = at / padded;
    const int c = at % padded;
    const bool there = first + r < count && c < width;
    tile[r * Step + c] = there ? load_element(from[(first + r) * row + c]) : C(0);
  }
}

/// A thread's part of a product of rows of two tiles: rows ty + 16 i of a, tx + 16 j of b.
template <int A, int B, int Step, class C>
__device__ __forceinline__ void multiply_rows(C (&out)[A][B], const C* a, const C* b, int width) {
  const int tx = static_cast<int>(threadIdx.x) % 16;
  const int ty = static_cast<int>(threadIdx.x) / 16;
#pragma unroll
  for (int i = 0; i < A; ++i) {
#pragma unroll
    for (int j = 0; j < B; ++j) out[i][j] = 0;
  }
  for (int d = 0; d < width; ++d) {
    C right[B];
#pragma unroll
    for (int j = 0; j < B; ++j) right[j] = b[(tx + 16 * j) * Step + d];
#pragma unroll
    for (int i = 0; i < A; ++i) {
      const C left = a[(ty + 16 * i) * Step + d];
#pragma unroll
      for (int j = 0; j < B; ++j) out[i][j] += left * right[j];
    }
  }
}

/// The score of query i and key j, from the product of their rows: -infinity if it is masked.
template <class T>
__device__ __forceinline__ compute_t<T> attention_score(const AttentionPlan& plan, int64_t b,
                                                        int64_t h, int64_t i, int64_t j,
                                                        compute_t<T> product) {
  using C = compute_t<T>;
  C score = product * static_cast<C>(plan.scale);
  if (i >= plan.queries || j >= plan.visible(i)) return no_score<C>;
  if (plan.added != nullptr) {
    score += load_element(static_cast<const T*>(plan.added)[plan.mask_at(b, h, i, j)]);
  } else if (plan.allowed != nullptr && !plan.allowed[plan.mask_at(b, h, i, j)]) {
    score = no_score<C>;
  }
  return score;
}

/// The largest, or the sum, over the 16 threads that have a row of scores.
template <class C>
__device__ __forceinline__ C largest_of_row(C x) {
  return largest_of_threads<16>(x);
}
template <class C>
__device__ __forceinline__ C sum_of_row(C x) {
  return sum_of_threads<16>(x);
}

#endif

}  // namespace weft::on_cuda
