// The operands of the gradients of layer_norm and rms_norm, for devices with a kernel of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/plan.hpp"
#include "weft/tensor/tensor.hpp"

namespace weft {

/// Where a gradient goes: contiguous memory, written or added to.
template <class T, class D>
struct NormTarget {
  Tensor<T, D> buffer;
  bool adds = false;
};

/// The gradients of y = (x - centre) * scale * weight + bias with respect to what x is a function
/// of, whose rows' mean and 1 / deviation the others are, to weight and to bias. Without a centre
/// (rms_norm) there is no bias. T is the tensors' type, C the statistics'.
template <class T, class C, class D>
struct NormGradients {
  detail::Operand* operands;  // the gradients of x's operands, dense, then these by rows, columns
  const Tensor<T, D>& gradient;  // of y, contiguous: rows by columns
  const Tensor<T, D>& weight;    // contiguous
  const Tensor<C, D>* centre;    // one element a row
  const Tensor<C, D>& scale;
  const Tensor<C, D>* whole;  // where x's own gradient goes in place of its operands'; or null
  NormTarget<T, D> to_weight;
  NormTarget<T, D> to_bias;

  int64_t columns() const { return weight.size(); }
  int64_t rows() const { return scale.size(); }
};

namespace detail {

/// Brings an operand's strides to two, from row to row and along the rows of `shape`, to which it
/// broadcasts; false where rows do not lie evenly, or their elements neither side by side nor on
/// one place.
WEFT_OUTLINED inline bool lies_in_rows(Operand& x, const Shape& shape) {
  x.broadcast_to(shape);
  const int last = shape.rank() - 1;
  const int64_t along = shape[last] == 1 ? 1 : x.stride[last];
  int64_t row = 0;
  int64_t next = 0;  // what a step in the dimension before must be
  bool first = true;
  for (int d = last - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (!first && x.stride[d] != next) return false;
    if (first) row = x.stride[d];
    first = false;
    next = x.stride[d] * shape[d];
  }
  x.stride[0] = row;
  x.stride[1] = along;
  return row >= 0 && (along == 0 || along == 1);
}

}  // namespace detail

/// Specialised in cuda/gradient/norm.hpp:
///   static bool serves(const Tensor<T, D>& gradient, const Tensor<T, D>& weight);
///   template <bool Centred, class Outs, class Types>
///   static void run(const char* operation, const NormGradients<T, C, D>&, const Program&);
/// Outs and Types list the types of the operands' gradients and of the operands; the program gives
/// the gradients, or forward() of it x, from inputs with get<I>() for operand I, counted from 1,
/// and gradient_of(x) for the gradient of x. A device with `reads_tensors` (cpu/gradient/norm.hpp)
/// has, in place of that run:
///   template <bool Centred> static void run(const NormGradients<T, C, D>&, x, to_x);
template <class D>
struct NormExecutor;

}  // namespace weft
