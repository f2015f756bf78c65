// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/gather.hpp>
#include <weft/eval/gathered_inside.hpp>

#include "test.hpp"

using weft::tensor;
using weft::detail::GatheredInside;

TEST_CASE("an element-wise expression of one tensor is gathered from inside") {
  const auto x = tensor({1.0F, 2.0F});
  const auto one = exp(x + 1) * 2;
  CHECK(GatheredInside<weft::detail::node_t<decltype(one)>>::tensors == 1);
  const auto two = x * (x + 1);
  CHECK(GatheredInside<weft::detail::node_t<decltype(two)>>::tensors == 2);
  CHECK_FALSE(weft::detail::is_gathered_inside<weft::detail::node_t<decltype(two)>>);
  const auto reduced = sum(x);
  CHECK_FALSE(GatheredInside<weft::detail::node_t<decltype(reduced)>>::passes);
}

TEST_CASE("a half expression that is gathered from is not rounded on the way") {
  const auto h = tensor<weft::half>({2048.0F, 1.0F});
  CHECK(cast<float>(take(h + 1, tensor({0}))).item() == 2049);
}
