// Everything that is installed, the CUDA device and its CUB-based headers included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/explain.hpp"
