// BatchNormKernels: what a device computes for batch_norm in one pass over the images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/memory_format.hpp"

namespace weft {

/// Batch norm's numbers for each channel of a batch; each tensor is (channel,).
template <class C, class D>
struct BatchNumbers {
  Tensor<C, D> mean;
  Tensor<C, D> variance;  // biased
  Tensor<C, D> scale;     // 1 / sqrt(variance + epsilon)
  Tensor<C, D> factor;    // scale times weight
};

/// The running statistics: new values are `share` times the batch's plus (1 - share) times the old
/// ones.
template <class T, class D>
struct BatchRunning {
  Tensor<T, D> mean;
  Tensor<T, D> variance;  // unbiased
  Tensor<int64_t, D> batches;
  double share;
};

/// The per-channel sums that the gradient needs, and the gradients of weight and bias; each
/// (channel,).
template <class T, class C, class D>
struct BatchGradients {
  Tensor<C, D> slope;  // mean(u h) scale, u the gradient before weight and h what is shown
  Tensor<C, D> shift;  // mean(u)
  Tensor<T, D> weight;
  Tensor<T, D> bias;
};

/// The sums of batch norm by kernels of a device's own (cpu and cuda/conv/batch_norm.hpp). x and g
/// have the same format, contiguous or channels last, and at least 2 axes:
///   static BatchNumbers<C, D> statistics(const Tensor<T, D>& x, const Tensor<T, D>& weight,
///                                        double epsilon, const BatchRunning<T, D>* running);
///   static BatchGradients<T, C, D> gradients(x, g, const BatchNumbers<C, D>&,
///                                            const Tensor<T, D>& bias, bool relu,
///                                            const Tensor<T, D>* to_weight, ... to_bias);
///   static Tensor<T, D> images(x, g, const BatchNumbers<C, D>&, const BatchGradients<T, C, D>&,
///                              bias, relu);
/// where `to_weight` and `to_bias`, if not null, are where the gradients of weight and bias are
/// put. A CPU's say by `takes<T>` for which elements they are, and have the results too:
///   static Tensor<T, D> results(x, const BatchNumbers<C, D>&, bias, relu, const Tensor<T, D>*
///                               added);
template <class D>
struct BatchNormKernels;

}  // namespace weft
