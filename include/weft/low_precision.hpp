// Storage in 8, 4 and 2 bits: float8, float4, int4 and int2 as bytes, with casts both ways.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"

#include "weft/core/small_format.hpp"             // float8_e4m3, float8_e5m2, float4_e2m1, int4, ...
#include "weft/ops/elementwise/small_format.hpp"  // encode, decode, pack_codes, unpack_codes
// clang-format on
