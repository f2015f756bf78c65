// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/topk.hpp>

#ifdef __CUDACC__
#include <weft/cuda/sort.hpp>
#endif

#include "cuda/graph_nodes.hpp"
#include "test.hpp"

using weft::cuda::plan_topk;
using weft::cuda::TopkGrid;

// What topk gives is checked in tests/ops/sort.cpp.

namespace {
TopkGrid planned(unsigned rows, unsigned length, unsigned k, bool warps, int tile) {
  TopkGrid grid;
  grid.rows = rows;
  grid.length = length;
  grid.k = k;
  plan_topk(grid, warps, tile, 132);
  return grid;
}
}  // namespace

TEST_CASE("many or short rows are a warp's, long ones are cut") {
  CHECK(weft::cuda::topk_by_warps(1 << 20, 256, 8, 132));
  CHECK(weft::cuda::topk_by_warps(1, 512, 256, 132));
  CHECK_FALSE(weft::cuda::topk_by_warps(1, 513, 8, 132));
  CHECK_FALSE(weft::cuda::topk_by_warps(1 << 20, 512, 257, 132));
  CHECK(planned(1 << 20, 256, 8, true, 256).pieces == 1);
  CHECK(planned(1, 2048 * 8 - 1, 8, false, 2048).pieces == 1);
  CHECK(planned(4000, 1 << 20, 8, false, 2048).pieces == 1);
  CHECK(planned(1, 1 << 28, 8, false, 2048).pieces == 1041);
}

TEST_CASE("pieces cover a row, and several passes end") {
  for (const unsigned k : {1U, 32U, 100U, 1024U}) {
    for (const unsigned rows : {1U, 3U, 1000U}) {
      for (unsigned length : {1024U, 16'384U, 16'385U, 1'000'003U, 2'147'483'647U}) {
        int passes = 0;
        for (TopkGrid grid = planned(rows, length, k, false, 2048);;) {
          CAPTURE(grid.length);
          ++passes;
          const auto end = std::int64_t{grid.pieces} * grid.piece;
          CHECK((end >= grid.length && end - grid.piece < grid.length));
          CHECK((grid.pieces == 1 || grid.piece >= 16 * k));
          if (grid.pieces == 1) break;
          grid = planned(rows, grid.pieces * k, k, false, 2048);
        }
        CHECK(passes <= 5);
      }
    }
  }
}

#ifdef __CUDACC__
TEST_CASE("one kernel for all rows, two for one long row [gpu]") {
  const auto x = weft::ones({300, 200}, weft::Cuda{});
  const auto y = weft::ones({1 << 18}, weft::Cuda{});
  CHECK(captured([&] { (void)topk(x, 3); }).kernels == 1);
  CHECK(captured([&] { (void)topk(y, 3); }).kernels == 2);
}

TEST_CASE("rows that are too many or too long [gpu]") {
  const auto x = weft::full({1}, std::int8_t{1}, weft::Cuda{});
  const auto long_row = x.expand({1, std::int64_t{1} << 31});
  const weft::Tensor<std::int8_t, weft::Cuda> values;
  const weft::Tensor<std::int64_t, weft::Cuda> indices;
  CHECK_SAYS("elements in a row on Cuda, expected below 2^31",
             weft::Sorter<weft::Cuda>::topk(long_row, false, 1, values, indices));
  const auto many = x.expand({std::int64_t{1} << 31, 1});
  CHECK_SAYS("rows on Cuda, expected below 2^31",
             weft::Sorter<weft::Cuda>::topk(many, false, 1, values, indices));
}
#endif
