// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/threads.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "array.hpp"

using weft::Cuda;
using weft::int64_t;
using weft::cuda::FastDivmod;
using weft::cuda::RowLoops;
using weft::cuda::RowOperand;

namespace {

/// Adds 1 to each element of the rows in `x`, once for each thread that has it.
__global__ void visit(const __grid_constant__ RowLoops grid, const __grid_constant__ RowOperand x) {
  namespace detail = weft::cuda::detail;
  const detail::RowPlace place = detail::place_in_block(grid);
  if (!place.active) return;
  for (unsigned outer = place.outer; outer < grid.outer; outer += grid.outer_stride) {
    for (unsigned e = place.lane; e < grid.inner; e += grid.apart) {
      const unsigned index = outer * grid.inner + e;  // of the dimensions as the grid has them
      atomicAdd(reinterpret_cast<int*>(detail::element(grid, x, place.row, index)), 1);
    }
  }
}

/// Whether `group` threads of each of `parts` blocks have each element of rows of outer x inner
/// elements once; rows are neighbours where they are columns.
bool has_each_once(unsigned rows, unsigned outer, unsigned inner, unsigned group, unsigned parts,
                   bool columns, bool turned = false) {
  constexpr unsigned threads = 128;
  const auto count = int64_t{outer} * inner;
  const auto x = weft::zeros<int>({rows * count}, Cuda{});
  RowLoops grid;
  grid.rows = rows;
  grid.kept_rank = 1;
  grid.kept[0] = FastDivmod(rows);
  grid.reduced_rank = outer > 1 ? 2 : 1;
  grid.reduced[0] = FastDivmod(inner);
  grid.reduced[1] = FastDivmod(outer);
  grid.planar = true;
  grid.simple = outer == 1;
  grid.count = count;
  grid.inner = inner;
  grid.outer = outer;
  grid.group = group;
  while ((1U << grid.group_shift) < group) ++grid.group_shift;
  grid.rows_a_block = threads / group;
  while ((1U << grid.width_shift) < grid.rows_a_block) ++grid.width_shift;
  grid.parts = FastDivmod(parts);
  grid.columns = columns;
  grid.apart = group * parts;
  if (outer > 1) {
    const unsigned across = std::min(group > 32 ? 5U : 4U, group);  // 5: some threads are idle
    grid.across = FastDivmod(across);
    grid.turned = turned;
    grid.apart = across;
    grid.outer_stride = group * parts / across;
    if (turned) {
      std::swap(grid.inner, grid.outer);
      std::swap(grid.apart, grid.outer_stride);
      std::swap(grid.reduced[0], grid.reduced[1]);
    }
  }
  RowOperand operand{};
  operand.data = reinterpret_cast<char*>(x.data());
  operand.itemsize = 4;
  operand.kept_stride[0] = columns ? 4 : 4 * count;
  operand.reduced_stride[0] = columns ? 4 * int64_t{rows} : 4;
  operand.reduced_stride[1] = operand.reduced_stride[0] * inner;
  if (turned) std::swap(operand.reduced_stride[0], operand.reduced_stride[1]);
  const unsigned blocks = (rows + grid.rows_a_block - 1) / grid.rows_a_block * parts;
  visit<<<blocks, threads, 0, weft::cuda::current_stream().handle()>>>(grid, operand);
  weft::cuda::check(cudaGetLastError(), "visit");
  const auto seen = x.to_vector();
  return std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; });
}

}  // namespace

TEST_CASE("the threads of a row have each element once [gpu] [sanitize]") {
  for (const unsigned group : {1U, 2U, 8U, 32U, 128U}) {
    for (const unsigned parts : {1U, 2U, 4U}) {
      CAPTURE(group);
      CAPTURE(parts);
      for (const unsigned n : {1U, 7U, 33U, 129U, 1000U}) {
        CHECK(has_each_once(37, 1, n, group, parts, false));
        CHECK(has_each_once(37, 5, n, group, parts, false));
        CHECK(has_each_once(37, 5, n, group, parts, false, true));
        CHECK(has_each_once(300, 1, n, group, parts, true));
        CHECK(has_each_once(300, 3, n, group, parts, true));
      }
    }
  }
}
