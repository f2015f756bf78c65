// weft's array functions: what NumPy and PyTorch have to shape, move, choose and make arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"
#include "weft/ops/shape/roll.hpp"    // roll, shift, diff
#include "weft/ops/shape/repeat.hpp"  // tile, repeat, repeat_interleave
// clang-format on
