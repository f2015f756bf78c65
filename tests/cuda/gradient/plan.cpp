#include "weft/cuda/gradient/plan.hpp"

#include "gradients.hpp"

using namespace weft;
using weft::cuda::SumMode;

namespace {
SumMode mode_of(const Shape& target, const Shape& shape, bool splits_rows = false) {
  weft::detail::Operand operands[2];
  operands[0].set(nullptr, 4, target, contiguous_strides(target), nullptr);
  operands[1].set(nullptr, 4, shape, contiguous_strides(shape), nullptr);
  weft::detail::broadcast_operands(operands, 2, shape);
  weft::detail::Loops loops = weft::detail::loops_over(shape);
  weft::detail::simplify(loops, operands, 2, true);
  return weft::cuda::detail::sum_mode(loops, operands[0], splits_rows);
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
  CHECK(mode_of({1, 5}, {3, 5}, true) == SumMode::whole);
  CHECK(mode_of({3, 1}, {3, 5}, true) == SumMode::whole);
  CHECK(mode_of({1, 1}, {3, 5}, true) == SumMode::all);
}

TEST_CASE("[nogpu] every row has its thread, and sums do not have too many parts") {
  for (const std::int64_t rows : {1, 7, 1000, 100000}) {
    for (const std::int64_t columns : {1, 3, 64, 1000, 5000}) {
      for (const bool sums : {false, true}) {
        const bool along = sums && rows != 7;
        weft::detail::Loops loops;
        loops.rank = 2;
        loops.size[0] = rows;
        loops.size[1] = columns;
        weft::cuda::SumGrid<3, 1> grid;
        const dim3 blocks = weft::cuda::detail::plan_sum_rows(loops, 4, sums, along, 132, grid);
        const unsigned y = blocks.y;
        CHECK(static_cast<std::int64_t>(blocks.x) * grid.width.divisor * 4 >= columns);
        CHECK(static_cast<std::int64_t>(grid.row_step) * grid.steps >= rows);
        CHECK(weft::cuda::detail::parts_of_row(columns, 4) * 32 >= static_cast<int>(grid.vectors));
        CHECK(y <= 65535);
        CHECK(grid.lines * grid.width.divisor <= 256);
        if (along) CHECK((grid.width.divisor & (grid.width.divisor - 1)) == 0);
        if (sums && rows == 100000) CHECK(std::int64_t{y} * 8 <= rows);
        const unsigned more = weft::cuda::detail::plan_sum_rows(loops, 4, sums, along, 264, grid).y;
        CHECK(more >= y);
        if (sums && rows == 100000 && columns == 64) CHECK(more == 2 * y);
      }
    }
  }
}

TEST_CASE("[nogpu] threads of short rows") {
  using weft::cuda::detail::threads_of_row;
  CHECK(threads_of_row(10, false) == 10);
  CHECK(threads_of_row(10, true) == 16);
  CHECK(threads_of_row(16, false) == 16);
  CHECK(threads_of_row(85, false) == 85);
  CHECK(threads_of_row(127, false) == 128);  // as many rows in either case
  CHECK(threads_of_row(200, false) == 256);  // one row in either case
  CHECK(threads_of_row(5000, true) == 256);
}

TEST_CASE("[nogpu] what several launches leave of a sum is counted") {
  weft::cuda::detail::SumBlocks all;
  all.add({2, 3}, 24);
  all.add({1, 5}, 40);
  CHECK(all.values(SumMode::rows, 500) == 64 * 500);
  CHECK(all.values(SumMode::all, 500) == (6 + 5) * 8);
  CHECK(all.values(SumMode::columns, 500) == 0);  // these have a place in the loops
  CHECK(all.values(SumMode::whole, 500) == 0);
}

TEST_CASE("[nogpu] loops that are too large for one launch may split rows") {
  const auto plan = [](const Shape& shape, const Shape& target) {
    weft::detail::Operand operands[2];
    operands[0].set(nullptr, 4, target, contiguous_strides(target), nullptr);
    operands[1].set(nullptr, 4, shape, contiguous_strides(shape), nullptr);
    weft::detail::broadcast_operands(operands, 2, shape);
    return weft::cuda::detail::plan_sum_loops(weft::detail::loops_over(shape), operands, 2, 1, 1);
  };
  const auto small = plan({30, 40}, {30, 1});
  CHECK(small.fits);
  CHECK(small.sums_along);
  const auto rows = plan({1 << 20, 1 << 12}, {1 << 20, 1});
  CHECK_FALSE(rows.fits);
  CHECK_FALSE(rows.splits_rows);
  CHECK(rows.sums_along);
  const auto parts = plan({2, std::int64_t{1} << 31}, {2, 1});
  CHECK(parts.splits_rows);
  CHECK_FALSE(parts.sums_along);
}
