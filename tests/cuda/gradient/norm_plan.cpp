#include "weft/cuda/gradient/norm_plan.hpp"

#include "test.hpp"

using weft::cuda::detail::plan_norm;

TEST_CASE("[nogpu] the threads of a norm's gradients hold each row") {
  for (const unsigned columns :
       {4U, 8U, 60U, 64U, 68U, 512U, 516U, 1024U, 4096U, 8192U, 8196U, 16384U, 50256U, 65536U}) {
    for (const unsigned rows : {1U, 5U, 300U, 1U << 20}) {
      CAPTURE(columns);
      CAPTURE(rows);
      weft::cuda::NormGrid<float, float, 1, 1> grid{};
      grid.rows = rows;
      grid.columns = columns;
      grid.ahead[0] = 4 * columns;
      const unsigned threads = plan_norm(4, 16, 132, grid);
      CHECK(threads % 32 == 0);
      CHECK(threads <= weft::cuda::norm_threads);
      CHECK(grid.group * grid.rows_a_block == threads);
      CHECK(grid.group * 16 >= grid.slice);
      CHECK(grid.parts <= weft::cuda::norm_parts);
      CHECK(grid.parts * grid.slice >= columns);
      CHECK((grid.parts - 1) * grid.slice < columns);
      CHECK(grid.ahead[0] == 4 * grid.slice);
      CHECK(grid.blocks % grid.parts == 0);
      const unsigned busy = grid.blocks / grid.parts;
      CHECK(busy >= 1);
      CHECK(busy <= rows);
      CHECK(grid.row_step == busy * grid.rows_a_block);
      CHECK((grid.row_step >= rows || grid.blocks * threads >= (132 - grid.parts) * 256));
      if (grid.parts > 1) CHECK(grid.rows_a_block == 1);
    }
  }
}

TEST_CASE("[nogpu] operands of full, aligned vectors, and those that L2 fetches ahead") {
  using weft::detail::Operand;
  alignas(32) static float memory[8];
  const auto grid_of = [](int64_t columns, int64_t row, int64_t along, char* data, bool& whole) {
    weft::cuda::NormGrid<float, float, 1, 1> grid{};
    grid.columns = static_cast<unsigned>(columns);
    grid.gradient = grid.weight = memory;
    Operand operands[2];
    operands[1].data = data;
    operands[1].itemsize = 4;
    operands[1].stride[0] = row;
    operands[1].stride[1] = along;
    whole = weft::cuda::detail::place_operands(operands, 4, grid);
    return grid;
  };
  char* const start = reinterpret_cast<char*>(memory);
  bool whole = false;
  const auto dense = grid_of(64, 64, 1, start, whole);
  CHECK(whole);
  CHECK(dense.row[0] == 256);
  CHECK(dense.fetched == 1);
  CHECK(grid_of(64, 68, 1, start, whole).fetched == 0);
  CHECK(whole);
  grid_of(64, 65, 1, start, whole);
  CHECK(!whole);
  grid_of(64, 64, 1, start + 4, whole);
  CHECK(!whole);
  grid_of(66, 66, 1, start, whole);
  CHECK(!whole);
  grid_of(64, 1, 0, start + 4, whole);  // an element for each row
  CHECK(whole);
}
