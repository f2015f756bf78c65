// Kernels over sparse matrices: a row, or a few elements, for each group of up to 32 threads.
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

/// The elements of a dense product a b at the places of a pattern; b is the right factor
/// transposed.
template <class T, class Out>
struct SampleTask {
  const SparseIndex* crow;
  const SparseIndex* col;
  const T* a;
  const T* b;
  Out* out;
  long long rows;
  long long count;
  long long a_step;
  long long b_step;
  int n;
  int shift;
};

/// Rows of a pattern to check.
struct InspectTask {
  const SparseIndex* crow;
  const SparseIndex* col;
  long long rows;
  long long columns;
  long long count;
  int* bad_row;
  int* longest;
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

/// The sum over a group of 2^shift threads, for each of them. All threads of the warp take part.
template <class C>
__device__ __forceinline__ C sum_of_group(C sum, int shift) {
  for (int d = (1 << shift) / 2; d > 0; d /= 2) {
    if constexpr (is_complex<C>) {
      sum += C(__shfl_xor_sync(~0U, sum.re, d), __shfl_xor_sync(~0U, sum.im, d));
    } else {
      sum += static_cast<C>(__shfl_xor_sync(~0U, sum, d));
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

/// Times a vector: the threads of a group share a row's elements.
template <class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    sparse_times_vector(const __grid_constant__ SparseTask<T, Out> t) {
  using C = sparse::sum_t<T>;
  const long long thread = static_cast<long long>(blockIdx.x) * sparse_threads + threadIdx.x;
  const long long row = thread >> t.shift;
  const int width = 1 << t.shift;
  C sum = C(0);
  if (row < t.rows) {
    const int end = t.crow[row + 1];
#pragma unroll 4
    for (int e = t.crow[row] + (static_cast<int>(threadIdx.x) & (width - 1)); e < end; e += width) {
      sum += sparse::load(t.values[e]) * sparse::load(t.x[t.col[e] * t.step]);
    }
  }
  sum = sum_of_group(sum, t.shift);
  if (row < t.rows && (threadIdx.x & (width - 1)) == 0) t.out[row] = finished(t, sum, row, 0);
}

/// Times a matrix: each thread of a group has N neighbouring columns of a row, and goes through all
/// of the row's elements, four at a time so that their loads do not wait for each other.
template <int N, class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    sparse_times_matrix(const __grid_constant__ SparseTask<T, Out> t) {
  using C = sparse::sum_t<T>;
  using Vector = detail::Neighbours<T, N>;
  const long long thread = static_cast<long long>(blockIdx.x) * sparse_threads + threadIdx.x;
  const long long row = thread >> t.shift;
  const int lane = static_cast<int>(threadIdx.x) & ((1 << t.shift) - 1);
  const int column = static_cast<int>((blockIdx.y << t.shift) + static_cast<unsigned>(lane)) * N;
  if (row >= t.rows || column >= t.n) return;
  C sums[N];
#pragma unroll
  for (int i = 0; i < N; ++i) sums[i] = C(0);
  const T* const x = t.x + column;
  const int end = t.crow[row + 1];
  int e = t.crow[row];
  for (; e + 4 <= end; e += 4) {
    C value[4];
    Vector near[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      value[k] = sparse::load(t.values[e + k]);
      near[k] = *reinterpret_cast<const Vector*>(x + t.col[e + k] * t.step);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int i = 0; i < N; ++i) sums[i] += value[k] * sparse::load(near[k].at[i]);
    }
  }
  for (; e < end; ++e) {
    const C value = sparse::load(t.values[e]);
    const Vector near = *reinterpret_cast<const Vector*>(x + t.col[e] * t.step);
#pragma unroll
    for (int i = 0; i < N; ++i) sums[i] += value * sparse::load(near.at[i]);
  }
  detail::Neighbours<Out, N> out;
#pragma unroll
  for (int i = 0; i < N; ++i) out.at[i] = finished(t, sums[i], row, column + i);
  *reinterpret_cast<detail::Neighbours<Out, N>*>(t.out + row * t.n + column) = out;
}

/// A group has four neighbouring elements of the pattern; its threads share the columns of a.
template <int N, class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    sample_product(const __grid_constant__ SampleTask<T, Out> t) {
  using C = sparse::sum_t<T>;
  using Vector = detail::Neighbours<T, N>;
  const long long thread = static_cast<long long>(blockIdx.x) * sparse_threads + threadIdx.x;
  const long long first = (thread >> t.shift) * 4;
  const int width = 1 << t.shift;
  const int lane = static_cast<int>(threadIdx.x) & (width - 1);
  long long row[4];
  long long column[4];
  long long low = 0;
  long long high = t.rows;  // the row of an element is the last one that begins before or at it
  const long long start = first < t.count ? first : t.count - 1;
  while (high - low > 1) {
    const long long r = low + (high - low) / 2;
    if (t.crow[r] <= start) {
      low = r;
    } else {
      high = r;
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const long long e = first + k < t.count ? first + k : t.count - 1;
    while (t.crow[low + 1] <= e) ++low;
    row[k] = low * t.a_step;
    column[k] = t.col[e] * t.b_step;
  }
  C sums[4] = {C(0), C(0), C(0), C(0)};
  for (int j = lane * N; j < t.n; j += width * N) {
    Vector a[4];
    Vector b[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      a[k] = *reinterpret_cast<const Vector*>(t.a + row[k] + j);
      b[k] = *reinterpret_cast<const Vector*>(t.b + column[k] + j);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int i = 0; i < N; ++i) sums[k] += sparse::load(a[k].at[i]) * sparse::load(b[k].at[i]);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const C sum = sum_of_group(sums[k], t.shift);
    if (lane == 0 && first + k < t.count) t.out[first + k] = static_cast<Out>(sum);
  }
}

/// A warp checks a row, and notes the first wrong one and the length of the longest.
template <class Task>
__global__ void __launch_bounds__(sparse_threads) inspect_rows(const __grid_constant__ Task t) {
  const long long thread = static_cast<long long>(blockIdx.x) * sparse_threads + threadIdx.x;
  const long long row = thread / 32;
  if (row >= t.rows) return;
  const long long first = t.crow[row];
  const long long last = t.crow[row + 1];
  bool good = first >= 0 && first <= last && last <= t.count && (row > 0 || first == 0) &&
              (row < t.rows - 1 || last == t.count);
  for (long long e = first + threadIdx.x % 32; good && e < last; e += 32) {
    const SparseIndex c = t.col[e];
    good = c >= 0 && c < t.columns && (e == first || c > t.col[e - 1]);
  }
  if (!good) atomicMin(t.bad_row, static_cast<int>(row));
  if (threadIdx.x % 32 == 0 && good) {
    const int length = static_cast<int>(last - first);
    if (length > *static_cast<volatile int*>(t.longest)) atomicMax(t.longest, length);
  }
}
#endif

}  // namespace weft::on_cuda
