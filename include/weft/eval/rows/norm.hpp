// The operands of the gradients of layer_norm and rms_norm, for devices with a kernel of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/tensor.hpp"

namespace weft {

/// Where a gradient goes: contiguous memory, written or added to.
template <class T, class D>
struct NormTarget {
  Tensor<T, D> buffer;
  bool adds = false;
};

/// The gradients of y = (x - centre) * scale * weight + bias with respect to x, whose rows' mean
/// and 1 / deviation the others are, to weight and to bias. Without a centre (rms_norm) there is no
/// bias. T is the tensors' type, C the statistics'.
template <class T, class C, class D>
struct NormGradients {
  const Tensor<T, D>& x;         // rows by columns, contiguous, as the gradient is
  const Tensor<T, D>& gradient;  // of y
  const Tensor<T, D>& weight;    // contiguous
  const Tensor<C, D>* centre;    // one element a row
  const Tensor<C, D>& scale;
  NormTarget<T, D> to_x;
  NormTarget<T, D> to_weight;
  NormTarget<T, D> to_bias;

  int64_t columns() const { return weight.size(); }
  int64_t rows() const { return scale.size(); }
};

/// Specialised in cuda/gradient/norm.hpp:
///   static bool serves(const Tensor<T, D>& x, const Tensor<T, D>& gradient,
///                      const Tensor<T, D>& weight);
///   template <bool Centred>
///   static void run(const char* operation, const NormGradients<T, C, D>&);
template <class D>
struct NormExecutor;

}  // namespace weft
