// What weft::lib holds compiled, so that the files of a big project need not compile it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/broadcast.hpp"
#include "weft/cpu/elementwise/element_walk.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/reduce.hpp"
#include "weft/cpu/rows/rows.hpp"
#include "weft/eval/assign.hpp"
#include "weft/ops/reduce/reduce.hpp"

// The library's own source says `template`, everybody else `extern template`.
#if defined(WEFT_LIB_BUILD)
#define WEFT_LIB_HOLDS template
#else
#define WEFT_LIB_HOLDS extern template
#endif

namespace weft {

/// What a statement does beside its own loop, for results of one element type on one device.
#define WEFT_LIB_STATEMENTS(T, D)                                                           \
  WEFT_LIB_HOLDS Tensor<T, D> detail::Access::allocate<T, D>(const Shape&, D, const char*); \
  WEFT_LIB_HOLDS Tensor<T, D> detail::Access::operand<T, D>(const Tensor<T, D>&) noexcept;  \
  WEFT_LIB_HOLDS Tensor<T, D> detail::Access::operand<T, D>(Tensor<T, D> &&) noexcept;      \
  WEFT_LIB_HOLDS void detail::run_into(Tensor<T, D>&, const detail::Statement<D>&, long);   \
  WEFT_LIB_HOLDS Tensor<T, D> detail::run_into_new<T, D>(const detail::Statement<D>&);      \
  WEFT_LIB_HOLDS void detail::run_in_place(const Tensor<T, D>&, const detail::Statement<D>&, bool);

WEFT_LIB_STATEMENTS(float, Cpu)
WEFT_LIB_STATEMENTS(double, Cpu)
WEFT_LIB_STATEMENTS(int, Cpu)
WEFT_LIB_STATEMENTS(int64_t, Cpu)
WEFT_LIB_STATEMENTS(bool, Cpu)

WEFT_LIB_HOLDS Shape broadcast<void>(const char*, const Shape&, const Shape&);
WEFT_LIB_HOLDS void broadcast_with<void>(const char*, Shape&, const Shape&);
WEFT_LIB_HOLDS void cpu::detail::for_each_element<void>(const Shape&, weft::detail::Operand*, int,
                                                        int, const bool*, cpu::detail::ElementLoop*,
                                                        const void*, const cpu::Movers&,
                                                        const Stores*,
                                                        const cpu::detail::PastCaches*, bool);

WEFT_LIB_HOLDS void cpu::detail::ReduceWork::run<void>() const;
WEFT_LIB_HOLDS void cpu::detail::RowRunner::run<void>() const;
WEFT_LIB_HOLDS bool detail::RowPlanner::run<void>();

/// The loops of a reduction over values of one type.
#define WEFT_LIB_REDUCTION(R)                              \
  WEFT_LIB_HOLDS struct cpu::detail::Run<float, R, float>; \
  WEFT_LIB_HOLDS struct cpu::detail::Run<double, R, double>;

WEFT_LIB_REDUCTION(reducer::sum)
WEFT_LIB_REDUCTION(reducer::mean)
WEFT_LIB_REDUCTION(reducer::max)

WEFT_LIB_HOLDS void detail::raise<Error>(std::initializer_list<detail::Part>);
WEFT_LIB_HOLDS void detail::raise<ShapeError>(std::initializer_list<detail::Part>);
WEFT_LIB_HOLDS void detail::raise<IndexError>(std::initializer_list<detail::Part>);
WEFT_LIB_HOLDS void detail::raise<ValueError>(std::initializer_list<detail::Part>);
WEFT_LIB_HOLDS void detail::raise<DeviceError>(std::initializer_list<detail::Part>);
WEFT_LIB_HOLDS void detail::raise<OutOfMemory>(std::initializer_list<detail::Part>);

}  // namespace weft

#undef WEFT_LIB_STATEMENTS
#undef WEFT_LIB_REDUCTION
#undef WEFT_LIB_HOLDS
