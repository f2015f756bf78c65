// op_cost: the instructions of each operation on a GPU, for estimates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/weight.hpp"
#include "weft/ops/elementwise/for_half.hpp"

namespace weft {

/// The instructions of an operation on one element, on the path that common arguments take. Counted
/// in the assembly for sm_90; bench/calibrate.py measures what they take.
struct OpCost {
  double slots = 16;         ///< of float; of any type that has no figures of its own
  double special = 1;        ///< of them those of the special function unit, conversions included
  double double_slots = 60;  ///< of double
  double wide = 20;          ///< of them those of the double-precision unit
};

/// An operation that is not listed counts as a moderately expensive one.
template <class Op>
inline constexpr OpCost op_cost = {};

// clang-format off
template <> inline constexpr OpCost op_cost<op::add>         = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::sub>         = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::mul>         = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::fma>         = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::addcmul>     = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::neg>         = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::abs>         = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::square>      = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::relu>        = {1, 0, 3, 1};
template <> inline constexpr OpCost op_cost<op::leaky_relu>  = {2, 0, 6, 2};
template <> inline constexpr OpCost op_cost<op::maximum>     = {1, 0, 4, 2};
template <> inline constexpr OpCost op_cost<op::minimum>     = {1, 0, 4, 2};
template <> inline constexpr OpCost op_cost<op::clamp_min>   = {1, 0, 4, 2};
template <> inline constexpr OpCost op_cost<op::clamp_max>   = {1, 0, 4, 2};
template <> inline constexpr OpCost op_cost<op::clamp>       = {2, 0, 8, 4};
template <> inline constexpr OpCost op_cost<op::where>       = {1, 0, 2, 0};
template <> inline constexpr OpCost op_cost<op::eq>          = {1, 0, 3, 1};
template <> inline constexpr OpCost op_cost<op::ne>          = {1, 0, 3, 1};
template <> inline constexpr OpCost op_cost<op::lt>          = {1, 0, 3, 1};
template <> inline constexpr OpCost op_cost<op::le>          = {1, 0, 3, 1};
template <> inline constexpr OpCost op_cost<op::gt>          = {1, 0, 3, 1};
template <> inline constexpr OpCost op_cost<op::ge>          = {1, 0, 3, 1};
template <> inline constexpr OpCost op_cost<op::logical_and> = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::logical_or>  = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::logical_not> = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::floor>       = {1, 1, 1, 1};
template <> inline constexpr OpCost op_cost<op::ceil>        = {1, 1, 1, 1};
template <> inline constexpr OpCost op_cost<op::round>       = {1, 1, 1, 1};
template <> inline constexpr OpCost op_cost<op::trunc>       = {1, 1, 1, 1};
template <> inline constexpr OpCost op_cost<op::logical_xor> = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::bitwise_and> = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::bitwise_or>  = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::bitwise_xor> = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::bitwise_not> = {1, 0, 1, 0};
template <> inline constexpr OpCost op_cost<op::left_shift>  = {3, 0, 3, 0};
template <> inline constexpr OpCost op_cost<op::right_shift> = {3, 0, 3, 0};
template <class To> inline constexpr OpCost op_cost<op::cast<To>> = {1, 0, 1, 1};
template <> inline constexpr OpCost op_cost<op::sign>        = {7, 0, 8, 1};
template <> inline constexpr OpCost op_cost<op::lerp>        = {5, 0, 7, 5};
template <> inline constexpr OpCost op_cost<op::div>         = {10, 1, 16, 8};
template <> inline constexpr OpCost op_cost<op::reciprocal>  = {10, 1, 11, 5};
template <> inline constexpr OpCost op_cost<op::sqrt>        = {10, 1, 18, 8};
template <> inline constexpr OpCost op_cost<op::rsqrt>       = {4, 1, 14, 5};
template <> inline constexpr OpCost op_cost<op::hypot>       = {25, 1, 44, 15};
template <> inline constexpr OpCost op_cost<op::exp>         = {10, 1, 49, 15};
template <> inline constexpr OpCost op_cost<op::exp2>        = {4, 1, 48, 16};
template <> inline constexpr OpCost op_cost<op::expm1>       = {29, 2, 55, 18};
template <> inline constexpr OpCost op_cost<op::log>         = {28, 1, 75, 30};
template <> inline constexpr OpCost op_cost<op::log2>        = {30, 1, 78, 30};
template <> inline constexpr OpCost op_cost<op::log10>       = {29, 1, 78, 30};
template <> inline constexpr OpCost op_cost<op::log1p>       = {28, 1, 90, 32};
template <> inline constexpr OpCost op_cost<op::pow>         = {60, 2, 170, 60};
template <> inline constexpr OpCost op_cost<op::sin>         = {28, 2, 70, 25};
template <> inline constexpr OpCost op_cost<op::cos>         = {29, 2, 70, 25};
template <> inline constexpr OpCost op_cost<op::tan>         = {25, 3, 90, 33};
template <> inline constexpr OpCost op_cost<op::asin>        = {25, 1, 50, 18};
template <> inline constexpr OpCost op_cost<op::acos>        = {26, 1, 60, 20};
template <> inline constexpr OpCost op_cost<op::atan>        = {19, 1, 74, 24};
template <> inline constexpr OpCost op_cost<op::atan2>       = {41, 1, 90, 30};
template <> inline constexpr OpCost op_cost<op::sinh>        = {25, 3, 70, 22};
template <> inline constexpr OpCost op_cost<op::cosh>        = {16, 3, 65, 20};
template <> inline constexpr OpCost op_cost<op::tanh>        = {17, 2, 60, 20};
template <> inline constexpr OpCost op_cost<op::erf>         = {30, 1, 123, 42};
template <> inline constexpr OpCost op_cost<op::erfc>        = {48, 4, 140, 50};
template <> inline constexpr OpCost op_cost<op::lgamma>      = {120, 2, 400, 150};
template <> inline constexpr OpCost op_cost<op::digamma>     = {69, 2, 200, 80};
template <> inline constexpr OpCost op_cost<op::sigmoid>     = {11, 2, 62, 22};
template <> inline constexpr OpCost op_cost<op::silu>        = {12, 2, 63, 23};
template <> inline constexpr OpCost op_cost<op::gelu>        = {22, 2, 130, 45};
template <> inline constexpr OpCost op_cost<op::gelu_tanh>   = {16, 2, 70, 26};
template <> inline constexpr OpCost op_cost<op::mish>        = {36, 3, 110, 40};
template <> inline constexpr OpCost op_cost<op::softplus>    = {40, 2, 160, 60};
template <> inline constexpr OpCost op_cost<op::for_half<op::sigmoid>>   = {5, 2};
template <> inline constexpr OpCost op_cost<op::for_half<op::silu>>      = {6, 2};
template <> inline constexpr OpCost op_cost<op::for_half<op::tanh>>      = {13, 2};
template <> inline constexpr OpCost op_cost<op::for_half<op::gelu>>      = {18, 2};
template <> inline constexpr OpCost op_cost<op::for_half<op::gelu_tanh>> = {10, 2};
template <> inline constexpr OpCost op_cost<op::for_half<op::softplus>>  = {32, 2};
template <> inline constexpr OpCost op_cost<op::for_half<op::pow>>       = {28, 2};
template <> inline constexpr OpCost op_cost<op::elu>         = {24, 1, 60, 20};
template <> inline constexpr OpCost op_cost<op::hardswish>   = {15, 1, 27, 13};
template <> inline constexpr OpCost op_cost<op::hardsigmoid> = {14, 1, 26, 12};
// clang-format on

}  // namespace weft
