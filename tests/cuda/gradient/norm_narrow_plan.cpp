#include "weft/cuda/gradient/norm_narrow_plan.hpp"

#include "test.hpp"

using weft::cuda::detail::plan_narrow_norm;

TEST_CASE("[nogpu] the threads of a short row hold it") {
  for (const int64_t columns : {1, 7, 15, 16, 17, 33, 127, 128, 480}) {
    for (const int64_t rows : {1, 300, 1 << 20}) {
      CAPTURE(columns);
      CAPTURE(rows);
      unsigned group = 0;
      unsigned shift = 0;
      unsigned each = 0;
      unsigned rows_a_block = 0;
      unsigned blocks = 0;
      plan_narrow_norm(rows, columns, 15, 132, group, shift, each, rows_a_block, blocks);
      CHECK(group <= 32);
      CHECK(group == 1U << shift);
      CHECK(each <= 15);
      CHECK(group * each >= columns);
      CHECK(group * rows_a_block == weft::cuda::narrow_norm_threads);
      CHECK(blocks >= 1);
      CHECK((blocks - 1) * int64_t{rows_a_block} < rows);
    }
  }
}

TEST_CASE("[nogpu] the shared memory of short rows") {
  using weft::bfloat16;
  using weft::detail::Operand;
  alignas(32) static char memory[64];
  weft::cuda::NarrowNormGrid<bfloat16, float, 1, 1> grid{};
  Operand operands[2];
  operands[0].data = operands[1].data = memory;
  operands[0].itemsize = operands[1].itemsize = 2;
  operands[1].stride[1] = 1;
  grid.gradient = reinterpret_cast<const bfloat16*>(memory);
  grid.scale = grid.centre = reinterpret_cast<const float*>(memory);
  grid.rows = 1000;
  for (const unsigned columns : {1U, 17U, 33U, 257U}) {
    CAPTURE(columns);
    grid.columns = columns;
    operands[1].stride[0] = columns;
    const unsigned bytes = plan_narrow_norm(operands, 15, 132, true, grid);
    REQUIRE(bytes > 0);
    CHECK(grid.staged == 1);
    const unsigned rows = grid.rows_a_block;
    CHECK(grid.place[1] - grid.place[0] >= rows * columns * 2);
    CHECK(grid.place[2] - grid.place[1] >= rows * columns * 2);
    CHECK(grid.place[3] - grid.place[2] >= rows * 4);
    CHECK(grid.stage_bytes - grid.place[3] >= rows * 4);
    CHECK(grid.result[0] == 3 * grid.stage_bytes);
    CHECK(grid.barriers % 8 == 0);
    CHECK(bytes >= grid.barriers + 24);
  }
  operands[1].data = memory + 2;
  CHECK(plan_narrow_norm(operands, 15, 132, true, grid) == 0);
  operands[1].data = memory;
  grid.columns = 481;
  CHECK(plan_narrow_norm(operands, 15, 132, true, grid) == 0);
}
