// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/scan/rows.hpp>
#include <weft/cuda/scan/warp_tile.hpp>

#include "test.hpp"

// The kernels run in tests/cuda/scan/scan.cpp.
#ifdef __CUDACC__
static_assert(weft::cuda::detail::WarpTile<weft::scanner::cumsum, float, 4, 4>::items == 512);
#endif
