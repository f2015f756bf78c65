// Convolutions and pooling on the CPU: by oneDNN (weft::onednn), else by products and loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/conv/average_pool.hpp"
#include "weft/cpu/conv/batch_norm.hpp"
#include "weft/cpu/conv/depthwise.hpp"
#include "weft/cpu/conv/onednn.hpp"
#include "weft/cpu/conv/pool.hpp"
#include "weft/cpu/conv/visit.hpp"
#include "weft/cpu/matmul.hpp"
