// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/scan/columns.hpp>

#include "test.hpp"

// The kernels run in tests/cuda/scan/scan.cpp; they halve and double a block's width.
static_assert((weft::cuda::column_threads & (weft::cuda::column_threads - 1)) == 0);
