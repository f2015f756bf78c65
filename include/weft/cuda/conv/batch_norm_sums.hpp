// What batch norm sums up for a channel, and how the sums of two parts are joined.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// Count, mean and sum of squares around it of S channels, from what each pass finds (Chan et al.
/// 1983): exact whatever the mean.
template <class C, int S>
struct BatchMoments {
  static constexpr int numbers = 3;
  static constexpr bool has_gradient = false;
  C count;
  C mean[S];
  C squares[S];

  __device__ void clear() {
    count = 0;
#pragma unroll
    for (int s = 0; s < S; ++s) mean[s] = squares[s] = 0;
  }
  __device__ void merge(const BatchMoments& b) {
    if (b.count == 0) return;
    const C total = count + b.count;
    const C share = b.count / total;
#pragma unroll
    for (int s = 0; s < S; ++s) {
      const C apart = b.mean[s] - mean[s];
      mean[s] += apart * share;
      squares[s] += b.squares[s] + apart * apart * (count * share);
    }
    count = total;
  }
  __device__ C number(int i, int s) const { return i == 0 ? count : i == 1 ? mean[s] : squares[s]; }
  __device__ void set(int i, C value) { (i == 0 ? count : i == 1 ? mean[0] : squares[0]) = value; }
};

/// The sums of u, the gradient where results are shown, and of u times x - mean.
template <class C, int S>
struct BatchSlopes {
  static constexpr int numbers = 2;
  static constexpr bool has_gradient = true;
  C total[S];
  C along[S];

  __device__ void clear() {
#pragma unroll
    for (int s = 0; s < S; ++s) total[s] = along[s] = 0;
  }
  __device__ void merge(const BatchSlopes& b) {
#pragma unroll
    for (int s = 0; s < S; ++s) {
      total[s] += b.total[s];
      along[s] += b.along[s];
    }
  }
  __device__ C number(int i, int s) const { return i == 0 ? total[s] : along[s]; }
  __device__ void set(int i, C value) { (i == 0 ? total[0] : along[0]) = value; }
};

}  // namespace weft::on_cuda

#endif
