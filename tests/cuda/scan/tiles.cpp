// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/scan/tiles.hpp>

#include "test.hpp"

// The kernels run in tests/cuda/scan/scan.cpp.
static_assert(weft::cuda::tile_threads % 32 == 0);
