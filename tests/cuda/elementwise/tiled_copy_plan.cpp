// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/elementwise/tiled_copy_plan.hpp"

#include "test.hpp"

using weft::detail::Loops;
using weft::detail::Operand;
using weft::on_cuda::CopyLaunch;
using weft::on_cuda::TiledCopy;
namespace detail = weft::on_cuda::detail;

TEST_CASE("dimensions from the innermost of the source") {
  Operand x;
  x.stride[0] = 5;
  x.stride[1] = -1;
  x.stride[2] = 40;
  x.stride[3] = 2;
  int order[4];
  detail::order_by_source(x, 4, order);
  CHECK(order[0] == 1);
  CHECK(order[1] == 3);
  CHECK(order[2] == 0);
  CHECK(order[3] == 2);
}

TEST_CASE("parts of an axis are even, and the last one ends with it") {
  // (1000, 2001, 3) with its first two axes exchanged.
  Loops loops{3, {2001, 1000, 3}};
  Operand operands[2];
  const std::int64_t to[] = {3000, 3, 1};
  const std::int64_t from[] = {3, 6003, 1};
  for (int d = 0; d < 3; ++d) {
    operands[0].stride[d] = to[d];
    operands[1].stride[d] = from[d];
  }
  operands[0].itemsize = operands[1].itemsize = 4;
  TiledCopy plan;
  CopyLaunch launch;
  REQUIRE(detail::plan_tiled(loops, operands, plan, launch));
  CHECK(plan.rank == 3);
  CHECK(plan.outer == 2);
  std::int64_t tiles = 1;
  for (int d = 0; d < plan.outer; ++d) {
    const TiledCopy::Outer& x = plan.across[d];
    const int size = x.last + x.part;
    CHECK((size == 1000 || size == 2001));
    CHECK(static_cast<int>(x.tiles.divisor) * x.part >= size);
    CHECK((static_cast<int>(x.tiles.divisor) - 1) * x.part < size);
    tiles *= x.tiles.divisor;
  }
  CHECK(plan.tiles == tiles);
  CHECK(launch.tiled);

  operands[1].stride[2] = 2;  // gaps between neighbours
  CHECK_FALSE(detail::plan_tiled(loops, operands, plan, launch));
}
