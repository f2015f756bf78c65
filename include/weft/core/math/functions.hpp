// weft::math, the scalar functions behind the operations: one definition for both devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/activation.hpp"  // IWYU pragma: export
#include "weft/core/math/arithmetic.hpp"  // IWYU pragma: export
#include "weft/core/math/complex.hpp"     // IWYU pragma: export
#include "weft/core/math/convert.hpp"     // IWYU pragma: export
#include "weft/core/math/dual.hpp"        // IWYU pragma: export
#include "weft/core/math/elementary.hpp"  // IWYU pragma: export
#include "weft/core/math/gamma.hpp"       // IWYU pragma: export
