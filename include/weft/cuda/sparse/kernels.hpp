// Kernels of sparse products: a row for each group of up to 32 threads, or for a block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/ops/sparse/product.hpp"

namespace weft::on_cuda {

/// A product of a sparse matrix and n columns of x, by rows `step` elements apart, with what
/// follows it: activation(alpha * sum + beta * addend).
template <class T, class Out>
struct SparseTask {
  using C = sparse::sum_t<T>;
  const SparseIndex* crow;
  const SparseIndex* col;
  const T* values;
  const T* x;
  Out* out;
  long long rows;
  long long step;
  int n;
  int shift;  // log2 of the threads of a group
  Activation activation;
  C alpha;
  C beta;
  const T* addend;  // or null
  long long addend_row;
  long long addend_column;
};

namespace detail {
/// N neighbours, read and written by one instruction where they take up to 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N) Neighbours {
  T at[N];
};

/// log2 of the threads, at most 32, that share n pieces of work.
inline int group_shift(int64_t n) {
  int shift = 0;
  while (shift < 5 && (int64_t{1} << shift) < n) ++shift;
  return shift;
}
}  // namespace detail

#if defined(__CUDACC__)
inline constexpr int sparse_threads = 256;
/// The most elements of a row that a group alone multiplies by a matrix, and that each of a group's
/// threads multiplies by a vector.
inline constexpr int matrix_row = 512;
inline constexpr int vector_row = 64;

/// The sum over a group of 2^shift threads, for each of them. All threads of the warp, or of
/// `here`, take part.
template <class C>
__device__ __forceinline__ C sum_of_group(C sum, int shift, unsigned here = ~0U) {
  for (int d = (1 << shift) / 2; d > 0; d /= 2) {
    if constexpr (is_complex<C>) {
      sum += C(__shfl_xor_sync(here, sum.re, d), __shfl_xor_sync(here, sum.im, d));
    } else {
      sum += static_cast<C>(__shfl_xor_sync(here, sum, d));
    }
  }
  return sum;
}

/// What is stored of a row's sum.
template <class T, class Out>
__device__ __forceinline__ Out finished(const SparseTask<T, Out>& t, sparse::sum_t<T> sum,
                                        long long row, long long column) {
  using C = sparse::sum_t<T>;
  C v = t.alpha * sum;
  if (t.addend != nullptr) {
    v += t.beta * sparse::load(t.addend[row * t.addend_row + column * t.addend_column]);
  }
  if constexpr (!is_complex<C> && !is_integer<T>) {
    if (t.activation == Activation::relu) v = math::relu(v);
    if (t.activation == Activation::gelu_tanh) v = math::gelu_tanh(v);
  }
  return static_cast<Out>(v);
}

/// What follows a product that the library has written to the target.
template <class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    finish_product(const __grid_constant__ SparseTask<T, Out> t) {
  const long long i = static_cast<long long>(blockIdx.x) * sparse_threads + threadIdx.x;
  if (i < t.rows * t.n) t.out[i] = finished(t, sparse::load(t.out[i]), i / t.n, i % t.n);
}

/// Times a vector: the threads of a group share a row's elements. A row with many is left to the
/// whole block, once its other rows are done.
template <class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    sparse_times_vector(const __grid_constant__ SparseTask<T, Out> t) {
  using C = sparse::sum_t<T>;
  const int me = static_cast<int>(threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.x) * (sparse_threads >> t.shift);
  const long long row = first + (me >> t.shift);
  const int width = 1 << t.shift;
  const int begin = row < t.rows ? t.crow[row] : 0;
  const int end = row < t.rows ? t.crow[row + 1] : 0;
  const int most = vector_row * width;
  const bool is_long = end - begin > most;
  C sum = C(0);
  if (!is_long) {
#pragma unroll 4
    for (int e = begin + (me & (width - 1)); e < end; e += width) {
      sum += sparse::load(t.values[e]) * sparse::load(t.x[t.col[e] * t.step]);
    }
  }
  sum = sum_of_group(sum, t.shift);
  if (row < t.rows && !is_long && (me & (width - 1)) == 0) t.out[row] = finished(t, sum, row, 0);

  if (__syncthreads_or(is_long) == 0) return;
  __shared__ alignas(16) char room[sizeof(C) * sparse_threads / 32];
  C* const parts = reinterpret_cast<C*>(room);
  for (long long r = first; r < first + (sparse_threads >> t.shift) && r < t.rows; ++r) {
    const int last = t.crow[r + 1];
    if (last - t.crow[r] <= most) continue;
    sum = C(0);
#pragma unroll 4
    for (int e = t.crow[r] + me; e < last; e += sparse_threads) {
      sum += sparse::load(t.values[e]) * sparse::load(t.x[t.col[e] * t.step]);
    }
    sum = sum_of_group(sum, 5);
    if (me % 32 == 0) parts[me / 32] = sum;
    __syncthreads();
    if (me == 0) {
      for (int w = 1; w < sparse_threads / 32; ++w) sum += parts[w];
      t.out[r] = finished(t, sum, r, 0);
    }
    __syncthreads();
  }
}

/// Adds four elements of a row times N neighbouring columns of x, and those `stride` further on,
/// from e to `end`; four at a time, so that their loads do not wait for each other.
template <int N, class T, class C>
__device__ __forceinline__ void add_elements(C (&sums)[N], const SparseIndex* col, const T* values,
                                             const T* x, long long step, int e, int end,
                                             int stride) {
  using Vector = detail::Neighbours<T, N>;
  for (; e < end; e += stride) {
    const int here = end - e < 4 ? end - e : 4;
    if (here == 4) {
      C value[4];
      Vector near[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        value[k] = sparse::load(values[e + k]);
        near[k] = *reinterpret_cast<const Vector*>(x + col[e + k] * step);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int i = 0; i < N; ++i) sums[i] += value[k] * sparse::load(near[k].at[i]);
      }
    } else {
      for (int k = 0; k < here; ++k) {
        const C value = sparse::load(values[e + k]);
        const Vector near = *reinterpret_cast<const Vector*>(x + col[e + k] * step);
#pragma unroll
        for (int i = 0; i < N; ++i) sums[i] += value * sparse::load(near.at[i]);
      }
    }
  }
}

/// Stores N neighbours of a row.
template <int N, class T, class Out, class C>
__device__ __forceinline__ void store_row(const SparseTask<T, Out>& t, const C (&sums)[N],
                                          long long row, int column) {
  detail::Neighbours<Out, N> out;
#pragma unroll
  for (int i = 0; i < N; ++i) out.at[i] = finished(t, sums[i], row, column + i);
  *reinterpret_cast<detail::Neighbours<Out, N>*>(t.out + row * t.n + column) = out;
}

/// Times a matrix: each thread of a group has N neighbouring columns of a row, and goes through all
/// of the row's elements. A row with many is left to the whole block, whose groups share it.
template <int N, class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    sparse_times_matrix(const __grid_constant__ SparseTask<T, Out> t) {
  using C = sparse::sum_t<T>;
  const int me = static_cast<int>(threadIdx.x);
  const int groups = sparse_threads >> t.shift;
  const int group = me >> t.shift;
  const int lane = me & ((1 << t.shift) - 1);
  const long long first = static_cast<long long>(blockIdx.x) * groups;
  const long long row = first + group;
  const int column = static_cast<int>((blockIdx.y << t.shift) + static_cast<unsigned>(lane)) * N;
  const bool has_columns = column < t.n;
  const T* const x = t.x + column;
  const int begin = row < t.rows ? t.crow[row] : 0;
  const int end = row < t.rows ? t.crow[row + 1] : 0;
  const bool is_long = end - begin > matrix_row;
  C sums[N];
  if (row < t.rows && has_columns && !is_long) {
#pragma unroll
    for (int i = 0; i < N; ++i) sums[i] = C(0);
    add_elements<N>(sums, t.col, t.values, x, t.step, begin, end, 4);
    store_row(t, sums, row, column);
  }

  if (__syncthreads_or(is_long) == 0) return;
  __shared__ alignas(16) char room[sizeof(C) * sparse_threads * N];
  C* const parts = reinterpret_cast<C*>(room);
  for (long long r = first; r < first + groups && r < t.rows; ++r) {
    const int last = t.crow[r + 1];
    if (last - t.crow[r] <= matrix_row) continue;
#pragma unroll
    for (int i = 0; i < N; ++i) sums[i] = C(0);
    if (has_columns) {
      add_elements<N>(sums, t.col, t.values, x, t.step, t.crow[r] + 4 * group, last, 4 * groups);
    }
#pragma unroll
    for (int i = 0; i < N; ++i) parts[i * sparse_threads + me] = sums[i];
    __syncthreads();
    if (group == 0 && has_columns) {
      for (int g = 1; g < groups; ++g) {
#pragma unroll
        for (int i = 0; i < N; ++i) sums[i] += parts[i * sparse_threads + (g << t.shift) + lane];
      }
      store_row(t, sums, r, column);
    }
    __syncthreads();
  }
}
#endif

}  // namespace weft::on_cuda
