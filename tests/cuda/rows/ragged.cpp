// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/ragged.hpp"

#include "test.hpp"

using weft::cuda::RowLoops;
using weft::cuda::RowOperand;

namespace {

/// Rows of `stride` elements from one to the next, from an address in bytes on.
RowOperand operand(std::uintptr_t address, std::int64_t stride, int itemsize = 4) {
  RowOperand x{};
  x.data = reinterpret_cast<char*>(address);
  x.itemsize = itemsize;
  x.kept_stride[0] = stride * itemsize;
  return x;
}

}  // namespace

TEST_CASE("operands are in step where their vectors begin at the same elements of each row") {
  using weft::cuda::detail::is_in_step;
  RowLoops grid;
  grid.kept_rank = 1;
  const RowOperand x = operand(4096, 33);
  CHECK(is_in_step(grid, x, x, 4));
  CHECK(is_in_step(grid, operand(8192 + 16, 33), x, 4));
  CHECK(is_in_step(grid, operand(8192, 37), x, 4));     // four elements more in each row
  CHECK(is_in_step(grid, operand(8192, 33, 2), x, 4));  // of another size
  CHECK_FALSE(is_in_step(grid, operand(8192 + 4, 33), x, 4));
  CHECK_FALSE(is_in_step(grid, operand(8192, 34), x, 4));
  CHECK_FALSE(is_in_step(grid, operand(8192, 0), x, 4));
  CHECK(is_in_step(grid, operand(8192, -31), x, 4));
  CHECK_FALSE(is_in_step(grid, operand(8192, 37), x, 8));
}

TEST_CASE("an operand that is the same in each row") {
  using weft::cuda::detail::is_by_row;
  RowLoops grid;
  grid.kept_rank = 1;
  CHECK(is_by_row(grid, operand(4096, 33)));
  CHECK_FALSE(is_by_row(grid, operand(4096, 0)));
  grid.kept_rank = 0;
  CHECK_FALSE(is_by_row(grid, operand(4096, 33)));
}
