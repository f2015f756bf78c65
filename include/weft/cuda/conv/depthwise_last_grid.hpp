// Arguments and vectors of the kernels for depthwise convolutions of channels-last images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda {

/// The kernels' arguments: sizes of the images that are read and written.
template <class T>
struct DepthwiseLastGrid {
  const T* from;
  const T* weight;  // (filter, tap)
  const T* bias;    // or null
  T* to;
  const T* gradient;  // of the results, for the weight's
  compute_t<T>* sums;
  int channels;
  int in[2];
  int out[2];
  int padding[2];
  int stride[2];
  int dilation[2];
  int gaps[2];   // of the places counted so only each so many is there: strides, on the way back
  bool flipped;  // taps from the last to the first
  unsigned items;
  unsigned each;  // rows of a part
  FastDivmod groups;
  FastDivmod rows;
};

/// Neighbours in a row that a thread computes.
inline constexpr int depthwise_outputs = 4;

#if defined(__CUDACC__)
/// N neighbouring elements, 16 bytes at most, that one instruction moves.
template <class T, int N>
struct alignas(sizeof(T) * N) Channels {
  T element[N];

  /// Zeros where `there` is false.
  static __device__ __forceinline__ Channels load(const T* from, bool there) {
    Channels x{};
    if (there) x = *reinterpret_cast<const Channels*>(from);
    return x;
  }
  __device__ __forceinline__ compute_t<T> operator[](int i) const {
    return load_element(element[i]);
  }
};
#endif

}  // namespace weft::on_cuda
