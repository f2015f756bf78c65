// Images, signals and volumes: convolutions, pooling, resampling, unfold and fold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/weft.hpp"

#include "weft/cpu/conv.hpp"           // on the CPU; on CUDA weft/cuda/conv.hpp
#include "weft/ops/conv/conv.hpp"      // conv2d, conv_transpose2d, channels_last
#include "weft/ops/conv/fold.hpp"      // unfold, fold
#include "weft/ops/conv/pool.hpp"      // max_pool2d, avg_pool2d, adaptive_avg_pool2d
#include "weft/ops/conv/resample.hpp"  // interpolate, pixel_shuffle
