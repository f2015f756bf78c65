#include "weft/cuda/gradient/plan.hpp"

#include "gradients.hpp"

using namespace weft;
using weft::cuda::SumMode;

namespace {
SumMode mode_of(const Shape& target, const Shape& shape) {
  weft::detail::Operand operands[2];
  operands[0].set(nullptr, 4, target, contiguous_strides(target), nullptr);
  operands[1].set(nullptr, 4, shape, contiguous_strides(shape), nullptr);
  weft::detail::broadcast_operands(operands, 2, shape);
  weft::detail::Loops loops = weft::detail::loops_over(shape);
  weft::detail::simplify(loops, operands, 2, true);
  return weft::cuda::detail::sum_mode(loops, operands[0]);
}
}  // namespace

TEST_CASE("[nogpu] how a target is summed") {
  CHECK(mode_of({1, 5}, {3, 5}) == SumMode::rows);
  CHECK(mode_of({1, 1, 4, 5}, {2, 3, 4, 5}) == SumMode::rows);
  CHECK(mode_of({3, 1}, {3, 5}) == SumMode::columns);
  CHECK(mode_of({2, 3, 1, 1}, {2, 3, 4, 5}) == SumMode::columns);
  CHECK(mode_of({1, 1}, {3, 5}) == SumMode::all);
  CHECK(mode_of({1, 3, 1}, {2, 3, 5}) == SumMode::columns);
  CHECK(mode_of({3, 1, 5}, {3, 2, 5}) == SumMode::whole);
}

TEST_CASE("[nogpu] every row has its thread, and sums do not have too many parts") {
  for (const std::int64_t rows : {1, 7, 1000, 100000}) {
    for (const std::int64_t columns : {1, 3, 64, 1000, 5000}) {
      for (const bool sums : {false, true}) {
        weft::detail::Loops loops;
        loops.rank = 2;
        loops.size[0] = rows;
        loops.size[1] = columns;
        weft::cuda::SumGrid<3, 1> grid;
        unsigned x = 0;
        unsigned y = 0;
        weft::cuda::detail::plan_sum_rows(loops, 4, sums, 132, grid, x, y);
        CHECK(static_cast<std::int64_t>(x) * grid.width * 4 >= columns);
        CHECK(static_cast<std::int64_t>(grid.row_step) * grid.steps >= rows);
        CHECK(grid.parts * 32 >= grid.vectors);
        CHECK(y <= 65535);
        if (sums && rows == 100000) CHECK(std::int64_t{y} * 8 <= rows);
        unsigned more = 0;
        weft::cuda::detail::plan_sum_rows(loops, 4, sums, 264, grid, x, more);
        CHECK(more >= y);
        if (sums && rows == 100000 && columns == 64) CHECK(more == 2 * y);
      }
    }
  }
}
