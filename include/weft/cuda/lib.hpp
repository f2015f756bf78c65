// The part of weft::lib for CUDA: what it holds compiled is declared here and defined there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/memory.hpp"
#include "weft/eval/assign.hpp"

#if defined(WEFT_LIB_BUILD)
#define WEFT_LIB_HOLDS template
#else
#define WEFT_LIB_HOLDS extern template
#endif

namespace weft {

/// What a statement does beside its own kernel, for results of one element type.
#define WEFT_LIB_STATEMENTS(T)                                                                     \
  WEFT_LIB_HOLDS Tensor<T, Cuda> detail::Access::allocate<T, Cuda>(const Shape&, Cuda,             \
                                                                   const char*);                   \
  WEFT_LIB_HOLDS Tensor<T, Cuda> detail::Access::operand<T, Cuda>(                                 \
      const Tensor<T, Cuda>&) noexcept;                                                            \
  WEFT_LIB_HOLDS Tensor<T, Cuda> detail::Access::operand<T, Cuda>(Tensor<T, Cuda> &&) noexcept;    \
  WEFT_LIB_HOLDS void detail::run_into(Tensor<T, Cuda>&, const detail::Statement<Cuda>&, long);    \
  WEFT_LIB_HOLDS Tensor<T, Cuda> detail::run_into_new<T, Cuda>(const detail::Statement<Cuda>&);    \
  WEFT_LIB_HOLDS void detail::run_in_place(const Tensor<T, Cuda>&, const detail::Statement<Cuda>&, \
                                           bool);
WEFT_LIB_STATEMENTS(float)
WEFT_LIB_STATEMENTS(double)
WEFT_LIB_STATEMENTS(half)
WEFT_LIB_STATEMENTS(bfloat16)
WEFT_LIB_STATEMENTS(int)
WEFT_LIB_STATEMENTS(int64_t)
WEFT_LIB_STATEMENTS(bool)
#undef WEFT_LIB_STATEMENTS

/// Planning and launching an element-wise kernel over that many operands.
#define WEFT_LIB_OPERANDS(N)                                                 \
  WEFT_LIB_HOLDS void on_cuda::detail::run_for_each<N>(                      \
      const weft::detail::Name&, Cuda, const Shape&, weft::detail::Operand*, \
      const on_cuda::ForEachKernels&, const void*);
WEFT_LIB_OPERANDS(1)
WEFT_LIB_OPERANDS(2)
WEFT_LIB_OPERANDS(3)
WEFT_LIB_OPERANDS(4)
WEFT_LIB_OPERANDS(5)
WEFT_LIB_OPERANDS(6)
WEFT_LIB_OPERANDS(7)
WEFT_LIB_OPERANDS(8)
#undef WEFT_LIB_OPERANDS

}  // namespace weft

#undef WEFT_LIB_HOLDS
