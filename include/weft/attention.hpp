// scaled_dot_product_attention; on CUDA include weft/cuda/attention.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/weft.hpp"

#include "weft/cpu/attention.hpp"         // on the CPU
#include "weft/ops/linalg/attention.hpp"  // scaled_dot_product_attention
