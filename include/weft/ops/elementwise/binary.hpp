// The binary operations: one line each, with domain, value and the two derivatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/table.hpp"

// clang-format off
//          name         domain             value                     derivatives by x and by y (z is the value)
WEFT_BINARY(add,         Numeric,           math::add(x, y),          T(1), T(1))
WEFT_BINARY(sub,         Numeric,           math::sub(x, y),          T(1), T(-1))
WEFT_BINARY(mul,         Numeric,           math::mul(x, y),          y, x)
WEFT_BINARY(div,         Numeric,           math::div(x, y),          T(1) / y, T(1) / y * -z)
WEFT_BINARY(mod,         Real,              math::mod(x, y),          T(1), -math::trunc(x / y))
WEFT_BINARY(fmod,        Real,              math::mod(x, y),          T(1), -math::trunc(x / y))
WEFT_BINARY(remainder,   Real,              math::remainder(x, y),    T(1), -math::floor(x / y))
WEFT_BINARY(pow,         Numeric,           math::pow(x, y),          math::pow_derivative_x(x, y), math::pow_derivative_y(x, y, z))

WEFT_BINARY(maximum,     Real,              math::maximum(x, y),      math::choose(x > y, T(1), math::choose(x == y, T(0.5), T(0))), math::choose(y > x, T(1), math::choose(x == y, T(0.5), T(0))))
WEFT_BINARY(minimum,     Real,              math::minimum(x, y),      math::choose(x < y, T(1), math::choose(x == y, T(0.5), T(0))), math::choose(y < x, T(1), math::choose(x == y, T(0.5), T(0))))
WEFT_BINARY(fmax,        Real,              math::fmax(x, y),         x >= y || y != y ? T(1) : T(0), x >= y || y != y ? T(0) : T(1))
WEFT_BINARY(fmin,        Real,              math::fmin(x, y),         x <= y || y != y ? T(1) : T(0), x <= y || y != y ? T(0) : T(1))
WEFT_BINARY(clamp_min,   Real,              math::maximum(x, y),      x >= y ? T(1) : T(0), x < y ? T(1) : T(0))
WEFT_BINARY(clamp_max,   Real,              math::minimum(x, y),      x <= y ? T(1) : T(0), x > y ? T(1) : T(0))
WEFT_BINARY(fdim,        Floating,          math::fdim(x, y),         x > y ? T(1) : T(0), x > y ? T(-1) : T(0))

WEFT_BINARY(atan2,       Floating,          math::atan2(x, y),        y / (x * x + y * y), -x / (x * x + y * y))
WEFT_BINARY(hypot,       Floating,          math::hypot(x, y),        z == 0 ? T(0) : x / z, z == 0 ? T(0) : y / z)
WEFT_BINARY(copysign,    Floating,          math::copysign(x, y),     x == 0 ? T(0) : z / x, T(0))
WEFT_BINARY(xlogy,       Floating,          math::xlogy(x, y),        x == 0 && y <= 0 ? T(0) : math::log(y), x / y)

WEFT_BINARY(bitwise_and, IntegerOrBool,     math::bit_and(x, y),      none, none)
WEFT_BINARY(bitwise_or,  IntegerOrBool,     math::bit_or(x, y),       none, none)
WEFT_BINARY(bitwise_xor, IntegerOrBool,     math::bit_xor(x, y),      none, none)
WEFT_BINARY(left_shift,  Integer,           math::shift_left(x, y),   none, none)
WEFT_BINARY(right_shift, Integer,           math::shift_right(x, y),  none, none)

WEFT_OPERATOR(+,  add)
WEFT_OPERATOR(-,  sub)
WEFT_OPERATOR(*,  mul)
WEFT_OPERATOR(/,  div)
WEFT_OPERATOR(%,  mod)
WEFT_OPERATOR(&,  bitwise_and)
WEFT_OPERATOR(|,  bitwise_or)
WEFT_OPERATOR(^,  bitwise_xor)
WEFT_OPERATOR(<<, left_shift)
WEFT_OPERATOR(>>, right_shift)
WEFT_UPDATE(%=,  mod)
WEFT_UPDATE(&=,  bitwise_and)
WEFT_UPDATE(|=,  bitwise_or)
WEFT_UPDATE(^=,  bitwise_xor)
WEFT_UPDATE(<<=, left_shift)
WEFT_UPDATE(>>=, right_shift)
// clang-format on
