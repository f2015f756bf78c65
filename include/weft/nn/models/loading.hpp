// converted<T>(dict): the tensors of a file as numbers of one floating-point type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/state.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft::nn::models {

/// A state dict with its float, half, bfloat16 and double tensors converted to element type T;
/// others are not changed.
template <class T>
StateDict converted(const StateDict& dict) {
  StateDict out;
  for (const auto& item : dict) {
    const auto& name = item.first;  // not a structured binding, which clang 14 does not capture
    const auto& tensor = item.second;
    const auto from = [&]<class F>(F) {
      if (tensor.dtype() != dtype_of<F> || std::is_same_v<F, T>) return false;
      out.add(name, Tensor<T>(cast<T>(tensor.template to<F>(Cpu{}))));
      return true;
    };
    if (!from(float{}) && !from(weft::half{}) && !from(bfloat16{}) && !from(double{})) {
      out.add(name, tensor);
    }
  }
  return out;
}

}  // namespace weft::nn::models
