// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/order/select.hpp>

#include "test.hpp"

static_assert(weft::detail::can_select<weft::Cuda>());

TEST_CASE("elements of a size share a kernel") {
  static_assert(std::is_same_v<weft::cuda::radix_key_t<float>, weft::cuda::radix_key_t<int>>);
}
