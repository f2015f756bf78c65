// The CPU's compaction: one loop over the mask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/memory.hpp"
#include "weft/ops/order/select.hpp"

namespace weft {

template <>
struct Selector<Cpu> {
  /// out = the elements of x where the mask holds.
  template <class T>
  static void select(const Tensor<T, Cpu>& x, const Tensor<bool, Cpu>& mask,
                     const Tensor<T, Cpu>& out) {
    T* next = out.data();
    for (int64_t i = 0; i < mask.size(); ++i) {
      if (mask.data()[i]) *next++ = x.data()[i];
    }
  }

  /// out = the positions where the mask holds.
  static void positions(const Tensor<bool, Cpu>& mask, const Tensor<int64_t, Cpu>& out) {
    int64_t* next = out.data();
    for (int64_t i = 0; i < mask.size(); ++i) {
      if (mask.data()[i]) *next++ = i;
    }
  }
};

WEFT_MODEL(SelectingDevice<Cpu>);

}  // namespace weft
