// More element-wise functions and the special ones: gcd, logaddexp, erfinv, gammainc, i0, zeta, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"

#include "weft/ops/elementwise/more.hpp"     // floor_divide, gcd, heaviside, logaddexp, nan_to_num
#include "weft/ops/elementwise/parts.hpp"    // divmod, modf, frexp, view_as_real
#include "weft/ops/elementwise/special.hpp"  // erfinv, gammainc, betainc, i0, zeta, ...
#include "weft/ops/elementwise/polynomials.hpp"  // chebyshev_polynomial_t, legendre_polynomial_p, ...
// clang-format on
