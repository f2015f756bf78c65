// A block's rows on their way through shared memory, for the gradients of a norm over short rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/gradient/norm_narrow_plan.hpp"
#include "weft/cuda/primitive/async_copy.hpp"
#include "weft/cuda/primitive/tma.hpp"
#include "weft/cuda/primitive/vector.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

/// Starts copies of contiguous bytes to shared memory, by all threads of the block; with bulk
/// copies, only of the remainder.
__device__ __forceinline__ void start_copies(char* to, const void* from, unsigned bytes) {
  const auto* const begin = static_cast<const char*>(from);
  const unsigned words = bytes / 16;
#if __CUDA_ARCH__ < 900
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
    start_copy<16>(to + i * 16, begin + i * 16);
  }
#endif
  if (threadIdx.x < bytes % 16) to[words * 16 + threadIdx.x] = begin[words * 16 + threadIdx.x];
}
/// Copies contiguous elements between 16-byte aligned addresses, by all threads of the block.
template <class Out>
__device__ __forceinline__ void copy_elements(Out* to, const Out* from, unsigned count) {
  constexpr unsigned lanes = 16 / sizeof(Out);
  using Words = Vector<Out, static_cast<int>(lanes)>;
  const unsigned words = count / lanes;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
    reinterpret_cast<Words*>(to)[i] = reinterpret_cast<const Words*>(from)[i];
  }
  const unsigned last = words * lanes + threadIdx.x;
  if (last < count) to[last] = from[last];
}

/// The same from shared memory, after all threads have published their writes; thread 0 starts the
/// bulk copy, and knows when it has been read.
template <class Out>
__device__ __forceinline__ void write_back(Out* to, const Out* from, unsigned count) {
#if __CUDA_ARCH__ >= 900
  constexpr unsigned lanes = 16 / sizeof(Out);
  const unsigned whole = count / lanes * lanes;
  if (threadIdx.x == 0) bulk_store(to, from, static_cast<int>(whole * sizeof(Out)));
  const unsigned last = whole + threadIdx.x;
  if (last < count) to[last] = from[last];
#else
  copy_elements(to, from, count);
#endif
}

}  // namespace detail

/// The copies of a block of the kernel: rows that it reads, a few groups ahead, and its results. On
/// Hopper one thread starts the copy of all rows of an operand.
template <class Outs, bool Centred, int N, class Grid, class Stores>
class NormStages;
template <class... Outs, bool Centred, int N, class Grid, class Stores>
class NormStages<weft::detail::TypeList<Outs...>, Centred, N, Grid, Stores> {
  using T = typename Grid::Element;
  using C = typename Grid::Statistic;
  static constexpr int n = N;

 public:
  __device__ __forceinline__ NormStages(const Grid& grid, const Stores& stores, char* shared)
      : grid_(grid), stores_(stores), shared_(shared) {}

  /// Makes a barrier for each stage, which counts the bytes of all that is copied to it.
  __device__ __forceinline__ void begin() const {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      const int copies = __popc(grid_.staged) + (Centred ? 3 : 2);
      for (unsigned s = 0; s < narrow_norm_stages; ++s) {
        weft::detail::ptx::mbarrier_init(shared_address(barrier(s)), copies);
      }
      publish_barriers();
    }
    __syncthreads();
#endif
  }
  /// Starts the copies of the rows from `first` on, if there are any.
  __device__ __forceinline__ void start(unsigned first, unsigned stage) const {
    constexpr int copies = n + (Centred ? 3 : 2);
    char* const to = shared_ + stage * grid_.stage_bytes;
    unsigned rows = 0;
    if (first < grid_.rows) {
      rows = grid_.rows - first < grid_.rows_a_block ? grid_.rows - first : grid_.rows_a_block;
    }
    unsigned bytes = 0;
#if __CUDA_ARCH__ >= 900
    if (rows == 0) return;
    const int mine = static_cast<int>(threadIdx.x);
    if (mine < copies && (mine >= n || (grid_.staged >> mine & 1U) != 0)) {
      const char* const from = source(mine, first, bytes);
      bulk_load(to + grid_.place[mine], from, static_cast<int>(rows * bytes / 16 * 16),
                barrier(stage));
    }
    if (rows == grid_.rows_a_block) return;
#endif
#pragma unroll 1
    for (int i = 0; i < copies && rows > 0; ++i) {
      if (i < n && (grid_.staged >> i & 1U) == 0) continue;
      const char* const from = source(i, first, bytes);
      detail::start_copies(to + grid_.place[i], from, rows * bytes);
    }
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
    weft::detail::ptx::cp_async_commit();
#endif
  }
  /// Waits for the copies to a stage in the block's turn number `turn`, and for all threads to be
  /// done with the turn before.
  __device__ __forceinline__ void wait_for([[maybe_unused]] unsigned stage,
                                           [[maybe_unused]] unsigned turn) const {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) wait_bulk_reads<0>();
    __syncthreads();
    wait_barrier(barrier(stage), turn / narrow_norm_stages & 1U);
#else
#if __CUDA_ARCH__ >= 800
    weft::detail::ptx::cp_async_wait<narrow_norm_stages - 2>();
#endif
    __syncthreads();
#endif
  }
  __device__ __forceinline__ C number(const char* stage, int which, unsigned row) const {
    return reinterpret_cast<const C*>(stage + grid_.place[which])[row];
  }
  /// Loads the targets that are added to, by all threads of the block.
  __device__ __forceinline__ void fetch_results(std::size_t first, unsigned count) const {
    if (stores_.adds == 0) return;
    int j = 0;
    ((stores_.adds >> j & 1U
          ? detail::copy_elements(reinterpret_cast<Outs*>(shared_ + grid_.result[j]),
                                  reinterpret_cast<const Outs*>(grid_.target[j]) + first, count)
          : static_cast<void>(0),
      ++j),
     ...);
  }
  __device__ __forceinline__ void write_results(std::size_t first, unsigned count) const {
    if (n > 1 && grid_.whole != nullptr) {
      detail::write_back(grid_.whole + first, reinterpret_cast<const C*>(shared_ + grid_.result[0]),
                         count);
      return;
    }
    int j = 0;
    ((stores_.wanted >> j & 1U
          ? detail::write_back(reinterpret_cast<Outs*>(grid_.target[j]) + first,
                               reinterpret_cast<const Outs*>(shared_ + grid_.result[j]), count)
          : static_cast<void>(0),
      ++j),
     ...);
  }

 private:
  __device__ __forceinline__ unsigned long long* barrier(unsigned stage) const {
    return reinterpret_cast<unsigned long long*>(shared_ + grid_.barriers) + stage;
  }
  /// Where operand `which`, or the gradient, scale or centre, which follow the operands, has the
  /// rows from `first` on; and the bytes of a row.
  __device__ __forceinline__ const char* source(int which, unsigned first, unsigned& bytes) const {
    const void* begin = grid_.centre;
    bytes = sizeof(C);
    if (which < n) {
      begin = grid_.data[which];
      bytes = static_cast<unsigned>(grid_.row[which]);
    } else if (which == n) {
      begin = grid_.gradient;
      bytes = grid_.columns * static_cast<unsigned>(sizeof(T));
    } else if (which == n + 1) {
      begin = grid_.scale;
    }
    return static_cast<const char*>(begin) + static_cast<std::size_t>(first) * bytes;
  }

  const Grid& grid_;
  const Stores& stores_;
  char* shared_;
};

}  // namespace weft::on_cuda

#endif
