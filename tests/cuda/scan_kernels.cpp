// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/scan_kernels.hpp>

#include "test.hpp"

static_assert(weft::cuda::detail::WarpTile<weft::scanner::cumsum, float, 4, 4>::items == 512);

TEST_CASE("a row is found by its number") {
  CHECK(weft::cuda::ScanGrid{}.pass == weft::cuda::ScanGrid::look_back);
}
