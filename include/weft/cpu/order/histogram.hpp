// The CPU's counting: one loop over the elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/memory.hpp"
#include "weft/ops/order/histogram.hpp"

namespace weft {

template <>
struct Histogrammer<Cpu> {
  /// Adds 1 to counts[bin.value(element)] for each element whose bin is not negative.
  template <class T, class Bin>
  static void count(const Tensor<T, Cpu>& x, const Bin& bin, const Tensor<int64_t, Cpu>& counts) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t at = bin.value(load_element(x.data()[i]));
      if (at >= 0) ++counts.data()[at];
    }
  }
};

WEFT_MODEL(CountingDevice<Cpu, op::uniform_bin>);

}  // namespace weft
