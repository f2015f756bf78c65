// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/elementwise/thread_rows.hpp>

#include <algorithm>
#include <vector>

#include "test.hpp"

using weft::cuda::ElementwiseLoops;
using weft::cuda::detail::place_thread_rows;

namespace {

/// The loops of `rows` rows of `inner` elements, four to a vector, under `outer` others.
ElementwiseLoops loops(unsigned rows, int inner, unsigned outer) {
  ElementwiseLoops grid;
  grid.inner = inner;
  grid.outer = outer > 1 ? 2 : 1;
  grid.rows = rows;
  grid.size[0] = weft::cuda::FastDivmod(rows);
  grid.size[1] = weft::cuda::FastDivmod(outer);
  grid.items = outer * rows * static_cast<unsigned>(inner) / 4;
  return grid;
}

/// How often each row of each of the others is some thread's, as for_each_aligned goes over them.
std::vector<int> visits(const ElementwiseLoops& grid, unsigned outer) {
  const unsigned firsts = grid.size[0].divisor;
  std::vector<int> out(outer * grid.rows);
  for (unsigned row = 0; row < outer * firsts; ++row) {
    const unsigned next = row / firsts;
    unsigned index = row % firsts;
    index += (index >> grid.row_shift) * grid.row_skip;
    for (int left = 1 << grid.rows_shift; left > 0 && index < grid.rows; --left) {
      ++out[next * grid.rows + index];
      index += grid.row_step;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("each row is one thread's, whatever their number") {
  int placed = 0;
  for (const unsigned rows : {1U, 3U, 8U, 37U, 64U, 65U, 255U, 1000U, 4097U}) {
    for (const int inner : {4, 16, 32, 128, 512}) {
      for (const unsigned outer : {1U, 3U}) {
        for (int shift = 0; shift <= 3; ++shift) {
          CAPTURE(rows);
          CAPTURE(inner);
          CAPTURE(shift);
          ElementwiseLoops grid = loops(rows, inner, outer);
          if (!place_thread_rows(shift, 4, grid)) continue;
          ++placed;
          CHECK(grid.items == outer * grid.size[0].divisor * static_cast<unsigned>(inner) / 4);
          const auto times = visits(grid, outer);
          CHECK(*std::min_element(times.begin(), times.end()) == 1);
          CHECK(*std::max_element(times.begin(), times.end()) == 1);
        }
      }
    }
  }
  CHECK(placed > 200);
}

TEST_CASE("few threads are left with nothing to do") {
  ElementwiseLoops grid = loops(9, 512, 1);
  CHECK_FALSE(place_thread_rows(3, 4, grid));  // 16 rows for 9
  CHECK(grid.size[0].divisor == 9);
  CHECK(place_thread_rows(0, 4, grid));
  ElementwiseLoops many = loops(1001, 512, 1);
  CHECK(place_thread_rows(3, 4, many));
  CHECK(many.size[0].divisor == 126);
  CHECK(place_thread_rows(1, 4, many));  // again, as the tuner does
  CHECK(many.size[0].divisor == 501);
  CHECK(many.items == 501U * 128);
}
