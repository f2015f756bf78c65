// The CPU's convolutions: oneDNN's with weft::onednn, else matrix products and loops for depthwise
// ones. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/conv/depthwise.hpp"
#include "weft/cpu/conv/onednn.hpp"
#include "weft/cpu/conv/visit.hpp"
#include "weft/cpu/matmul.hpp"
