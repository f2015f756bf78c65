// Pooling and interpolation on CUDA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/average_pool.hpp"
#include "weft/cuda/conv/pool.hpp"
#include "weft/cuda/conv/visit.hpp"
#include "weft/ops/conv/pool.hpp"
#include "weft/ops/conv/resample.hpp"
