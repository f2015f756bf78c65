// Hoisting: parts of a program that are constant along a row, computed before the loop over it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/pattern.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

using weft::detail::uses_of;

/// Whether a program reads an operand; if not, it is constant along the row.
template <class P>
inline constexpr bool reads_operands = uses_of<P> != 0;

/// x / y for many x and one y: a product with the reciprocal and a correction, which rounds like
/// the operator (Markstein 1990) for x from 2^-100 to 2^100 and normal quotients. Others are within
/// two ulp, and a denormal x adds one ulp of its own. y is first scaled to between 1 and 2.
struct Quotient {
  float y;
  float reciprocal;
  float scale;

  __device__ explicit Quotient(float divisor) {
    const unsigned exponent = __float_as_uint(divisor) & 0x7F800000U;
    const unsigned opposite = 0x7F000000U - exponent;  // of 2 to minus the exponent
    scale = exponent == 0x7F800000U ? 1 : opposite == 0 ? 0x1p-127F : __uint_as_float(opposite);
    y = divisor * scale;
    reciprocal = 1 / y;
  }
  __device__ float value(float x) const {
    const float q = x * reciprocal;
    const float corrected = fmaf(fmaf(-y, q, x), reciprocal, q);
    return (corrected == corrected ? corrected : q) * scale;  // q is infinite, or y is
  }
};

/// The program with each part that reads no operand replaced by its value.
template <class P, class Row>
__device__ __forceinline__ auto hoist(const P& program, const Row& row);

namespace detail {
template <class Op, class Row, class... Ps, std::size_t... I>
__device__ __forceinline__ auto hoist_parts(const Apply<Op, Ps...>& program, const Row& row,
                                            std::index_sequence<I...>) {
  auto parts = pack_of(on_cuda::hoist(weft::get<static_cast<int>(I)>(program.programs), row)...);
  return Apply<Op, decltype(on_cuda::hoist(weft::get<static_cast<int>(I)>(program.programs),
                                           row))...>{program.op, parts};
}
template <class X, class Y, class Row>
__device__ __forceinline__ auto hoist_apply(const Apply<op::div, X, Y>& program, const Row& row) {
  if constexpr (std::is_same_v<typename Apply<op::div, X, Y>::type, float> && !reads_operands<Y>) {
    auto x = on_cuda::hoist(weft::get<0>(program.programs), row);
    return Apply<Quotient, decltype(x)>{Quotient(weft::get<1>(program.programs)(row)), pack_of(x)};
  } else {
    return hoist_parts(program, row, std::make_index_sequence<2>{});
  }
}
template <class Op, class... Ps, class Row>
__device__ __forceinline__ auto hoist_apply(const Apply<Op, Ps...>& program, const Row& row) {
  return hoist_parts(program, row, std::make_index_sequence<sizeof...(Ps)>{});
}
}  // namespace detail

template <class P, class Row>
__device__ __forceinline__ auto hoist(const P& program, const Row& row) {
  if constexpr (!reads_operands<P>) {
    return Constant<typename P::type>{program(row)};
  } else if constexpr (requires { program.along(row); }) {
    return program.along(row);
  } else if constexpr (requires { program.programs; }) {
    return detail::hoist_apply(program, row);
  } else {
    return program;
  }
}

}  // namespace weft::on_cuda

/// The weight of the division that it replaces.
template <class X>
inline constexpr std::uint64_t
    weft::detail::pattern_number<weft::Apply<weft::on_cuda::Quotient, X>> =
        weft::detail::mixed(weft::detail::mixed(weft::detail::type_number<weft::op::div>(),
                                                weft::detail::pattern_number<X>),
                            weft::detail::mixed(1, weft::detail::type_number<float>()));

#endif
