// Kernels for many matrices of up to 16 x 16: determinant, inverse, solution, Cholesky's factor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/small_matrices.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/ops/linalg/small_matrix.hpp"

namespace weft::on_cuda {

/// What a kernel computes of each matrix.
enum class SmallProblem : unsigned char { det, inv, solve, cholesky };

/// A batch of n x n matrices x by rows, dense; with `solve` right-hand sides b of `width` columns.
template <class T>
struct SmallTask {
  const T* x;
  const T* b;
  T* out;
  long long count;
  int n;
  int width;
  FastDivmod by_n;
  Failure* failure;
  const char* operation;
  const char* fact;
  int ordinal;
};

#if defined(__CUDACC__)
/// One thread per matrix: factors it, and solves with it.
template <SmallProblem What, int N, class T>
__global__ void __launch_bounds__(small_threads)
    one_thread_each(const __grid_constant__ SmallTask<T> task) {
  constexpr int size = N * N;
  __shared__ alignas(16) char room[SmallMatrices<N, T>::bytes];
  const SmallMatrices<N, T> all(room, task.count);
  all.load(task.x);
  const int me = static_cast<int>(threadIdx.x);
  T* const mine = all.mine();
  const long long matrix = all.first + me;
  int bad = 0;
  if (me < all.here) {
    if constexpr (What == SmallProblem::cholesky) {
      linalg::SmallCholesky<T, N> a;
#pragma unroll
      for (int i = 0; i < size; ++i) a.a[i / N][i % N] = mine[i];
      a.factor();
      bad = a.bad_pivot;
#pragma unroll
      for (int i = 0; i < size; ++i) mine[i] = i % N <= i / N ? a.a[i / N][i % N] : T(0);
    } else {
      linalg::SmallLu<T, N> a;
#pragma unroll
      for (int i = 0; i < size; ++i) a.a[i / N][i % N] = mine[i];
      a.factor();
      bad = What == SmallProblem::det ? 0 : a.zero_pivot;
      T x[N];
      if constexpr (What == SmallProblem::det) {
        task.out[matrix] = a.det();
      } else if constexpr (What == SmallProblem::inv) {
#pragma unroll
        for (int j = 0; j < N; ++j) {
          a.solve(linalg::UnitColumn<T>{j}, x);
#pragma unroll
          for (int i = 0; i < N; ++i) mine[i * N + j] = x[i];
        }
      } else {
        const T* const b = task.b + matrix * N * task.width;
        T* const out = task.out + matrix * N * task.width;
        for (int j = 0; j < task.width; ++j) {
          a.solve(linalg::ColumnAt<T>{b + j, task.width}, x);
#pragma unroll
          for (int i = 0; i < N; ++i) out[i * task.width + j] = x[i];
        }
      }
    }
    if (bad != 0) {
      report_failure(task.failure, task.operation, task.ordinal, matrix, bad - 1, 0, false,
                     task.fact);
    }
  }
  if constexpr (What == SmallProblem::inv || What == SmallProblem::cholesky) all.store(task.out);
}

/// A value of another of the W threads that share a matrix.
template <int W, class T>
__device__ __forceinline__ T from_lane(T x, int lane) {
  if constexpr (is_complex<T>) {
    return {__shfl_sync(~0U, x.re, lane, W), __shfl_sync(~0U, x.im, lane, W)};
  } else {
    return __shfl_sync(~0U, x, lane, W);
  }
}

/// Which of W threads has the row with the largest element among those with `candidate`; the first
/// of equal ones. NaN counts as infinity, so that each row becomes a pivot once.
template <int W, class R>
__device__ __forceinline__ int lane_of_largest(R size, bool candidate, int lane) {
  R most = !candidate ? R(-1) : size == size ? size : R(INFINITY);
  int at = lane;
#pragma unroll
  for (int d = W / 2; d > 0; d /= 2) {
    const R other = __shfl_xor_sync(~0U, most, d, W);
    const int other_at = __shfl_xor_sync(~0U, at, d, W);
    if (other > most || (other == most && other_at < at)) {
      most = other;
      at = other_at;
    }
  }
  return at;
}

/// Matrices of up to W x W, each by W threads that hold a row in registers. Rows are not exchanged:
/// each thread remembers at which step its row was the pivot.
template <SmallProblem What, int W, class T>
__global__ void __launch_bounds__(small_threads)
    one_row_a_thread(const __grid_constant__ SmallTask<T> task) {
  constexpr int groups = small_threads / W;
  __shared__ alignas(16) char room[sizeof(T) * groups * W * (W + 1)];
  const int lane = static_cast<int>(threadIdx.x) % W;
  const int group = static_cast<int>(threadIdx.x) / W;
  T* const shared = reinterpret_cast<T*>(room) + group * W * (W + 1);
  const long long matrix = static_cast<long long>(blockIdx.x) * groups + group;
  const bool present = matrix < task.count;
  const int n = task.n;
  const T* const x = task.x + matrix * n * n;
  for (int e = lane; e < n * n; e += W) {
    const int row = static_cast<int>(task.by_n.divide(static_cast<unsigned>(e)));
    // The last threads, which have no matrix, take part in the exchanges with a unit matrix.
    shared[row * (W + 1) + e - row * n] = present ? x[e] : T(e - row * n == row ? 1 : 0);
  }
  __syncwarp();
  T a[W];
#pragma unroll
  for (int c = 0; c < W; ++c) {
    a[c] = lane < n && c < n ? shared[lane * (W + 1) + c] : T(0);
  }
  __syncwarp();
  int bad = 0;
  if constexpr (What == SmallProblem::cholesky) {
#pragma unroll
    for (int k = 0; k < W; ++k) {
      if (k >= n) continue;
      const real_t<T> pivot = linalg::real_part(from_lane<W>(a[k], k));
      if (!(pivot > 0) && bad == 0) bad = k + 1;
      const real_t<T> root = std::sqrt(pivot);
      a[k] = lane == k ? T(root) : lane > k ? a[k] * (1 / root) : T(0);
#pragma unroll
      for (int c = k + 1; c < W; ++c) {
        const T other = linalg::conjugate(from_lane<W>(a[k], c));
        if (lane >= c) a[c] = a[c] - a[k] * other;
      }
    }
#pragma unroll
    for (int c = 0; c < W; ++c) {
      if (lane < n && c < n) shared[lane * (W + 1) + c] = c <= lane ? a[c] : T(0);
    }
  } else {
    int pivot_lane[W];
    int step = W;  // at which this row was the pivot
    bool odd = false;
    T product(1);
#pragma unroll
    for (int k = 0; k < W; ++k) {
      pivot_lane[k] = 0;
      if (k >= n) continue;
      const bool free = step == W && lane < n;
      const int p = lane_of_largest<W>(linalg::magnitude(a[k]), free, lane);
      pivot_lane[k] = p;
      const unsigned others = __ballot_sync(~0U, free && lane < p);
      const unsigned mask = W == 32 ? ~0U : (1U << W) - 1U;
      const int before = __popc(others >> (threadIdx.x % 32 / W * W) & mask);
      odd = odd != (before % 2 != 0);
      if (lane == p) step = k;
      T pivot = from_lane<W>(a[k], p);
      product = product * pivot;
      if (pivot == T(0) && bad == 0) bad = k + 1;
      if constexpr (What == SmallProblem::inv) {
        // Gauss and Jordan in place: all rows but the pivot's lose column k, which takes the
        // inverse's.
        const T scale = T(1) / pivot;
        const T factor = a[k];
        const bool mine = lane == p;
#pragma unroll
        for (int c = 0; c < W; ++c) {
          if (c == k) continue;
          const T row = from_lane<W>(a[c], p) * scale;
          a[c] = mine ? row : a[c] - factor * row;
        }
        a[k] = mine ? scale : -(factor * scale);
      } else {
        const bool below = step == W;
        const T factor = pivot == T(0) ? T(0) : a[k] / pivot;
        if (below) a[k] = factor;
#pragma unroll
        for (int c = k + 1; c < W; ++c) {
          const T row = from_lane<W>(a[c], p);
          if (below) a[c] = a[c] - factor * row;
        }
      }
    }
    if constexpr (What == SmallProblem::det) {
      bad = 0;
      if (present && lane == 0) task.out[matrix] = odd ? -product : product;
    } else if constexpr (What == SmallProblem::inv) {
#pragma unroll
      for (int c = 0; c < W; ++c) {
        if (c < n && lane < n) shared[step * (W + 1) + pivot_lane[c]] = a[c];
      }
    } else {
      const T* const b = task.b + matrix * n * task.width;
      T* const out = task.out + matrix * n * task.width;
      for (int j = 0; j < task.width; ++j) {
        T y = present && lane < n ? b[lane * task.width + j] : T(0);
#pragma unroll
        for (int k = 0; k < W; ++k) {
          if (k >= n) continue;
          const T known = from_lane<W>(y, pivot_lane[k]);
          if (step > k) y = y - a[k] * known;
        }
#pragma unroll
        for (int k = W - 1; k >= 0; --k) {
          if (k >= n) continue;
          if (step == k) y = y / a[k];
          const T known = from_lane<W>(y, pivot_lane[k]);
          if (step < k) y = y - a[k] * known;
        }
        if (present && lane < n) out[step * task.width + j] = y;
      }
    }
  }
  if (present && bad != 0 && lane == 0) {
    report_failure(task.failure, task.operation, task.ordinal, matrix, bad - 1, 0, false,
                   task.fact);
  }
  if constexpr (What == SmallProblem::inv || What == SmallProblem::cholesky) {
    __syncwarp();
    T* const out = task.out + matrix * n * n;
    for (int e = lane; present && e < n * n; e += W) {
      const int row = static_cast<int>(task.by_n.divide(static_cast<unsigned>(e)));
      out[e] = shared[row * (W + 1) + e - row * n];
    }
  }
}

/// Launches the kernel for the size on the device's current stream.
template <SmallProblem What, class T>
void run_small(const Shape& shape, Cuda device, SmallTask<T> task) {
  const void* kernel = nullptr;
  int each = small_threads;  // matrices a block
  switch (task.n) {
    case 1:
      kernel = reinterpret_cast<const void*>(one_thread_each<What, 1, T>);
      break;
    case 2:
      kernel = reinterpret_cast<const void*>(one_thread_each<What, 2, T>);
      break;
    case 3:
      kernel = reinterpret_cast<const void*>(one_thread_each<What, 3, T>);
      break;
    case 4:
      kernel = reinterpret_cast<const void*>(one_thread_each<What, 4, T>);
      break;
    default:
      each = task.n <= 8 ? small_threads / 8 : small_threads / 16;
      kernel = task.n <= 8 ? reinterpret_cast<const void*>(one_row_a_thread<What, 8, T>)
                           : reinterpret_cast<const void*>(one_row_a_thread<What, 16, T>);
  }
  const long long blocks = (task.count + each - 1) / each;
  if (blocks > INT32_MAX) {
    fail<ShapeError>(task.operation, task.count, " matrices on Cuda, expected below 2^31 * ", each);
  }
  task.by_n = FastDivmod(static_cast<unsigned>(task.n));
  const weft::detail::Name name{task.operation};
  void* arguments[] = {&task};
  detail::launch(name, shape, kernel, static_cast<unsigned>(blocks), small_threads, arguments,
                 current_stream(device));
}
#endif

}  // namespace weft::on_cuda
