// Kernels of sampled products, by rows and by elements, and of the check of indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/sparse/kernels.hpp"

namespace weft::on_cuda {

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

#if defined(__CUDACC__)
/// Four elements of a row, and those `stride` further on, from e to `end`: the threads of a group
/// share the columns of a, whose row begins at `a`.
template <int N, class T, class Out>
__device__ __forceinline__ void sample_elements(const SampleTask<T, Out>& t, const T* a, int e,
                                                int end, int stride) {
  using C = sparse::sum_t<T>;
  using Vector = detail::Neighbours<T, N>;
  const int width = 1 << t.shift;
  const int lane = static_cast<int>(threadIdx.x) & (width - 1);
  // Groups of a warp have rows of different lengths, so each exchanges sums by itself.
  const unsigned here = (width == 32 ? ~0U : (1U << width) - 1U) << (threadIdx.x % 32 - lane);
  for (; e < end; e += stride) {
    C sums[4] = {C(0), C(0), C(0), C(0)};
    const T* b[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) b[k] = t.b + t.col[e + k < end ? e + k : end - 1] * t.b_step;
    for (int j = lane * N; j < t.n; j += width * N) {
      const Vector left = *reinterpret_cast<const Vector*>(a + j);
      Vector right[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) right[k] = *reinterpret_cast<const Vector*>(b[k] + j);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
          sums[k] += sparse::load(left.at[i]) * sparse::load(right[k].at[i]);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const C sum = sum_of_group(sums[k], t.shift, here);
      if (lane == 0 && e + k < end) t.out[e + k] = static_cast<Out>(sum);
    }
  }
}

/// A group has a row; one with many elements is left to the whole block, whose groups share it.
template <int N, class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    sample_product(const __grid_constant__ SampleTask<T, Out> t) {
  const int groups = sparse_threads >> t.shift;
  const int group = static_cast<int>(threadIdx.x) >> t.shift;
  const long long first = static_cast<long long>(blockIdx.x) * groups;
  const long long row = first + group;
  const int begin = row < t.rows ? t.crow[row] : 0;
  const int end = row < t.rows ? t.crow[row + 1] : 0;
  const bool is_long = end - begin > matrix_row;
  if (!is_long) sample_elements<N>(t, t.a + row * t.a_step, begin, end, 4);
  if (__syncthreads_or(is_long) == 0) return;
  for (long long r = first; r < first + groups && r < t.rows; ++r) {
    const int last = t.crow[r + 1];
    if (last - t.crow[r] <= matrix_row) continue;
    sample_elements<N>(t, t.a + r * t.a_step, t.crow[r] + 4 * group, last, 4 * groups);
  }
}

/// The same where rows are of very unequal lengths: a group has four neighbouring elements of the
/// pattern, whatever their rows; its threads share the columns of a.
template <int N, class T, class Out>
__global__ void __launch_bounds__(sparse_threads)
    sample_by_elements(const __grid_constant__ SampleTask<T, Out> t) {
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
