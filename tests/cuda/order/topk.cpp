// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/order/topk.hpp>

#ifdef __CUDACC__
#include <weft/cuda/order/sort.hpp>
#endif

#include "cuda/graph_nodes.hpp"
#include "test.hpp"

using weft::cuda::plan_topk;
using weft::cuda::TopkGrid;

// What topk gives is checked in tests/ops/order/sort.cpp.

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
  CHECK(planned(1, 1 << 28, 8, false, 2048).pieces == 1049);
}

TEST_CASE("warps are only for what shared memory has room for") {
  using weft::cuda::topk_warps_fit;
  constexpr std::int64_t smallest = 48 * 1024;  // of any GPU
  constexpr std::int64_t hopper = 227 * 1024;
  CHECK(topk_warps_fit(planned(1 << 20, 256, 8, true, 256), 8, smallest));
  CHECK(topk_warps_fit(planned(1 << 20, 256, 128, true, 256), 8, smallest));
  const TopkGrid longest = planned(1 << 20, 256, 256, true, 256);
  CHECK(weft::cuda::topk_bytes(longest, 8, 8) == 8 * 8 * (256 + 128 + 32 + 256));
  CHECK_FALSE(topk_warps_fit(longest, 8, smallest));
  CHECK(topk_warps_fit(longest, 8, hopper));
  CHECK(topk_warps_fit(planned(1 << 20, 256, 256, true, 128), 16, hopper));
  CHECK_FALSE(topk_warps_fit(planned(1 << 20, 256, 256, true, 128), 16, 64 * 1024));
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

TEST_CASE_TEMPLATE("the longest k of a warp and of a block [gpu] [sanitize]", T, std::int8_t, float,
                   double) {
  for (const std::int64_t rows : {1, 70}) {
    for (const std::int64_t k : {1, 8, 9, 128, 192, 256, 257, 1024}) {
      for (const std::int64_t n : {std::int64_t{256}, std::int64_t{2048}}) {
        if (k > n) continue;
        CAPTURE(rows);
        CAPTURE(k);
        CAPTURE(n);
        const weft::Tensor<T, weft::Cuda> x =
            weft::cast<T>(weft::randint<int>(-100, 100, {rows, n}, weft::Cuda{}));
        const auto got = topk(x, k);
        const auto expected = topk(x.to(weft::Cpu{}), k);
        CHECK(weft::equal(got.values.to(weft::Cpu{}), expected.values));
        CHECK(weft::equal(got.indices.to(weft::Cpu{}), expected.indices));
      }
    }
  }
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
