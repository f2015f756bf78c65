// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/grid.hpp>

#include "test.hpp"

using weft::cuda::RowLoops;
using weft::cuda::RowOperand;

namespace {

/// An operand of floats in rows that lie `row` elements apart, its elements `lane` apart.
RowOperand floats(std::uintptr_t address, std::int64_t row, int lane) {
  RowOperand x;
  x.data = reinterpret_cast<char*>(address);
  x.itemsize = 4;
  x.lane = lane;
  x.kept_stride[0] = 4 * row;
  x.reduced_stride[0] = 4 * lane;
  return x;
}

RowLoops matrix() {
  RowLoops loops;
  loops.kept_rank = loops.reduced_rank = 1;
  return loops;
}

}  // namespace

TEST_CASE("vectors are aligned when base and rows are") {
  const RowLoops loops = matrix();
  CHECK(weft::cuda::detail::is_row_aligned(loops, floats(4096, 8, 1), 4));
  CHECK_FALSE(weft::cuda::detail::is_row_aligned(loops, floats(4100, 8, 1), 4));
  CHECK_FALSE(weft::cuda::detail::is_row_aligned(loops, floats(4096, 7, 1), 4));
  CHECK_FALSE(weft::cuda::detail::is_row_aligned(loops, floats(4096, 8, 2), 4));
}

TEST_CASE("equal operands, and those with one element a row") {
  const RowLoops loops = matrix();
  CHECK(weft::cuda::detail::is_same_operand(loops, floats(4096, 8, 1), floats(4096, 8, 1)));
  CHECK_FALSE(weft::cuda::detail::is_same_operand(loops, floats(4096, 8, 1), floats(4096, 9, 1)));
  CHECK_FALSE(weft::cuda::detail::is_same_operand(loops, floats(4096, 8, 1), floats(4112, 8, 1)));
  CHECK(weft::cuda::detail::is_constant(loops, floats(4096, 1, 0)));
  CHECK_FALSE(weft::cuda::detail::is_constant(loops, floats(4096, 0, 1)));
}

TEST_CASE("numbers of a row kernel fit in 31 bits") {
  CHECK(weft::cuda::detail::row_number("sum", 7, "rows") == 7);
  CHECK_SAYS("[sum] 2147483648 rows on CUDA, expected below 2^31",
             weft::cuda::detail::row_number("sum", std::int64_t{1} << 31, "rows"));
  CHECK(weft::cuda::detail::power_of_two(17) == 32);
  CHECK(weft::cuda::detail::power_of_two(1) == 1);
  CHECK(weft::cuda::detail::round_up(33, 32) == 64);
}
