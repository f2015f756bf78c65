// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/algorithms.hpp>

#include "test.hpp"

static_assert(weft::detail::can_scan<weft::Cuda>() && weft::detail::can_sort<weft::Cuda>() &&
              weft::detail::can_select<weft::Cuda>() && weft::detail::can_count<weft::Cuda>());
