// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/order/histogram.hpp>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"

TEST_CASE("bins in shared memory and beyond agree, in one launch [gpu]") {
  const auto x = weft::randint<int>(0, 5000, {1'000'000}, weft::Cuda{});
  const auto few = bincount(x);
  const auto many = bincount(x, 2 * weft::cuda::shared_bins);
  CHECK(weft::equal(few, many.narrow(0, 0, few.size())));
  CHECK(sum(few).item() == 1'000'000);
  CHECK(weft::equal(few.to(weft::Cpu{}), bincount(x.to(weft::Cpu{}))));
  CHECK(captured([&] { histogram(x, 10, 0, 5000); }).kernels == 2);
}
