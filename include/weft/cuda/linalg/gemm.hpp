// gemm: weft's own matrix-product kernel for element types that cuBLASLt does not take: integers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/eval/product/plan.hpp"

namespace weft::on_cuda {

/// One product: c = a b, with the plan's strides.
template <class T, class Out>
struct GemmTask {
  weft::detail::ProductPlan plan;
  const T* a;
  const T* b;
  Out* c;
};

/// The numbers that products of T are summed in; integers wrap.
template <class T>
struct GemmSum {
  using type = compute_t<T>;
};
template <class T>
  requires is_integer<T>
struct GemmSum<T> {
  using type = std::conditional_t<(sizeof(T) < 8), unsigned, unsigned long long>;
};

#if defined(__CUDACC__)
inline constexpr int gemm_tile = 32;

/// A block of 32 x 8 threads has a tile of 32 x 32 results, and reads both operands by such tiles.
template <class T, class Out>
__global__ void __launch_bounds__(gemm_tile * 8)
    gemm(const __grid_constant__ GemmTask<T, Out> task, long long tiles_down,
         long long tiles_across) {
  using Sum = typename GemmSum<T>::type;
  constexpr int rows = 4;  // of a thread
  __shared__ Sum left[gemm_tile][gemm_tile];
  __shared__ Sum right[gemm_tile][gemm_tile];
  const auto& p = task.plan;
  const int x = static_cast<int>(threadIdx.x) % gemm_tile;
  const int y = static_cast<int>(threadIdx.x) / gemm_tile;
  const long long tile = blockIdx.x;
  const long long matrix = tile / (tiles_down * tiles_across);
  const long long i = tile / tiles_across % tiles_down * gemm_tile;
  const long long j = tile % tiles_across * gemm_tile + x;
  const T* const a = task.a + p.offset(p.a, matrix);
  const T* const b = task.b + p.offset(p.b, matrix);
  Sum sums[rows] = {};
  for (long long k = 0; k < p.k; k += gemm_tile) {
    for (int r = 0; r < rows; ++r) {
      const int row = y + 8 * r;
      const bool has_a = i + row < p.m && k + x < p.k;
      const bool has_b = k + row < p.k && j < p.n;
      left[row][x] =
          has_a ? static_cast<Sum>(load_element(a[(i + row) * p.a.row + (k + x) * p.a.column]))
                : Sum(0);
      right[row][x] =
          has_b ? static_cast<Sum>(load_element(b[(k + row) * p.b.row + j * p.b.column])) : Sum(0);
    }
    __syncthreads();
    for (int inner = 0; inner < gemm_tile; ++inner) {
      for (int r = 0; r < rows; ++r) {
        sums[r] = sums[r] + left[y + 8 * r][inner] * right[inner][x];
      }
    }
    __syncthreads();
  }
  Out* const c = task.c + p.offset(p.c, matrix);
  for (int r = 0; r < rows; ++r) {
    const long long row = i + y + 8 * r;
    if (row < p.m && j < p.n) c[row * p.c.row + j * p.c.column] = static_cast<Out>(sums[r]);
  }
}

/// Launches it on the device's current stream.
template <class T, class Out>
void run_gemm(const char* operation, const Shape& shape, Cuda device, GemmTask<T, Out> task) {
  long long down = (task.plan.m + gemm_tile - 1) / gemm_tile;
  long long across = (task.plan.n + gemm_tile - 1) / gemm_tile;
  const long long blocks = down * across * task.plan.batches();
  if (blocks > INT32_MAX) {
    fail<ShapeError>(operation, "a result of shape ", shape, " has ", blocks,
                     " tiles of 32 x 32, expected below 2^31");
  }
  void* arguments[] = {&task, &down, &across};
  detail::launch({operation}, shape, reinterpret_cast<const void*>(gemm<T, Out>),
                 static_cast<unsigned>(blocks), gemm_tile * 8, arguments, current_stream(device));
}
#endif

}  // namespace weft::on_cuda
