// The CPU's convolutions: matrix products over columns, and loops of their own for depthwise ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/conv/depthwise.hpp"
#include "weft/cpu/conv/visit.hpp"
#include "weft/cpu/matmul.hpp"
