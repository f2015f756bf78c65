// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tune/shape_class.hpp>

#include "test.hpp"

using namespace weft::cuda::detail;
using weft::detail::Loops;
using weft::detail::Operand;

TEST_CASE("element-wise: sizes of a class, and how operands lie") {
  const auto of = [](std::int64_t rows, std::int64_t columns, std::int64_t step) {
    Operand operands[2];
    operands[0].stride[0] = columns;
    operands[0].stride[1] = 1;
    operands[1].stride[0] = 0;
    operands[1].stride[1] = step;
    return shape_class(weft::detail::loops_over({rows, columns}), operands, 2);
  };
  CHECK(of(366948, 197, 1) == "327680x197 sc.0c");
  CHECK(of(330000, 197, 1) == of(366948, 197, 1));
  CHECK(of(330000, 196, 1) != of(366948, 197, 1));
  CHECK(of(366948, 197, 0) == "327680x197 sc.00");
  CHECK(of(366948, 197, 3) == "327680x197 sc.0s");
  CHECK(shape_class(Loops{}, nullptr, 0) == "1");
}

TEST_CASE("row programs and reductions: the form, rows and their length") {
  weft::cuda::RowKernel kernel;
  kernel.outputs = kernel.leaves = 1;
  weft::cuda::RowLaunch launch;
  weft::cuda::RowLoops grid;
  weft::cuda::RowOperand operands[2] = {};
  grid.rows = 8000;
  grid.inner = 8;
  grid.kept_rank = grid.reduced_rank = 1;
  for (auto& x : operands) {
    x.lane = 1;
    x.reduced_stride[0] = 4;
    x.kept_stride[0] = 32;
  }
  operands[1].kept_stride[0] = 0;
  CHECK(shape_class(kernel, launch, grid, operands) == "looped 7168x1x8 c.C");
  launch.narrow = true;
  operands[0].reduced_stride[0] = 0;
  CHECK(shape_class(kernel, launch, grid, operands) == "narrow 7168x1x8 o.C");
  weft::cuda::ReduceLoops sum;
  sum.outputs = 64;
  sum.inner = 1000;
  CHECK(shape_class(sum) == "rows 64x1x896");
  sum.form = weft::cuda::ReduceLoops::columns;
  sum.vectors = true;
  CHECK(shape_class(sum) == "columns 64x1x896 vectors");
  CHECK(shape_class({"scan", 40000, 40, 8, 4}) == "32768x40, 8 threads each, of 4 B");
  CHECK(shape_class({"scan", 300, 40, 1, 2}) == "256x40, 1 thread each, of 2 B");
}
