// Operands for tests of plans, which read no memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "weft/eval/program/plan.hpp"

namespace test {

/// An operand with strides in elements, along the first axes; 0 along the others.
inline weft::detail::Operand operand(int itemsize, std::initializer_list<std::int64_t> strides) {
  static char memory[16];
  weft::detail::Operand x;
  x.data = memory;
  x.itemsize = itemsize;
  for (std::int64_t& stride : x.stride) stride = 0;
  int d = 0;
  for (const std::int64_t stride : strides) x.stride[d++] = stride;
  return x;
}

}  // namespace test
