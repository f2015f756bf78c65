// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/elementwise/plan.hpp"

#include "test.hpp"

using weft::int64_t;
using weft::cuda::ElementwiseLoops;
using weft::cuda::ForEachKernels;
using weft::detail::Loops;
using weft::detail::Operand;

namespace {
/// The plan of z = x + y over rows by columns: x with a step from row to row, y one row for all.
struct Planned : ElementwiseLoops {
  int transposed[3];
  weft::cuda::detail::ForEachLaunch launch;
};
Planned plan(int64_t rows, int64_t columns, int64_t step, int64_t offset = 0, int bytes = 4,
             int least_apart = 4) {
  Operand operands[3];
  for (Operand& x : operands) {
    x.itemsize = bytes;
    x.data = reinterpret_cast<char*>(4096);
    x.stride[0] = columns;
    x.stride[1] = 1;
  }
  operands[1].stride[0] = step;
  operands[1].data += bytes * offset;
  operands[2].stride[0] = 0;
  ForEachKernels kernels{1, 4, true};
  kernels.rows.lanes = 4;
  kernels.crosses = true;
  kernels.least_apart = least_apart;
  Planned out;
  out.launch = weft::cuda::detail::plan_for_each(weft::detail::loops_over({rows, columns}),
                                                 operands, 3, false, kernels, out, out.transposed);
  return out;
}
}  // namespace

TEST_CASE("full, aligned vectors of the target: the kernel with few instructions") {
  CHECK(plan(100, 64, 64).launch.aligned);
  CHECK(plan(100, 64, 64).apart == 0);
  CHECK(plan(100, 64, 65).launch.aligned);
  CHECK(plan(100, 64, 65).apart == 2);  // x is read element by element
  CHECK(plan(100, 64, 64, 1).apart == 2);
  CHECK_FALSE(plan(101, 63, 63).launch.aligned);
  CHECK_FALSE(plan(101, 3, 3).launch.aligned);
}

TEST_CASE("threads that only store have several vectors if there are many") {
  const auto fill = [](int64_t size) {
    Operand target;
    target.itemsize = 4;
    target.data = reinterpret_cast<char*>(4096);
    target.stride[0] = 1;
    int transposed[1];
    ElementwiseLoops grid;
    const auto launch = weft::cuda::detail::plan_for_each(weft::detail::loops_over({size}), &target,
                                                          1, false, {1, 4}, grid, transposed);
    CHECK(int64_t{launch.blocks} * grid.passes * launch.threads * 4 >= size);
    return grid.passes;
  };
  CHECK(fill(1 << 20) == 1);
  CHECK(fill(1 << 24) == weft::cuda::stores_a_thread);
  CHECK(fill((1 << 24) + 1) == weft::cuda::stores_a_thread);
}

TEST_CASE("vectors cross from row to row if all of them are full") {
  const Planned crossing = plan(100, 63, 63);
  CHECK((crossing.launch.aligned && crossing.launch.flat));
  CHECK(crossing.apart == 4);  // y begins again where x goes on
  CHECK(crossing.items == 100 * 63 / 4);
  CHECK(plan(100, 63, 64).apart == 6);
  CHECK_FALSE(plan(100, 64, 64).launch.flat);
  const Planned many = plan(1 << 18, 63, 63);
  CHECK(many.rows_shift == 2);
  CHECK(many.size[0].divisor == 1U << 16);
  CHECK(many.row_step == 1U << 16);
  const Planned rest = plan((1 << 18) + 4, 63, 63);  // the last part is shorter
  CHECK(rest.size[0].divisor == (1U << 16) + 4);
  CHECK(rest.items == ((1U << 16) + 4) * 63 / 4);
  const Planned few = plan(2, (1 << 23) + 2, (1 << 23) + 2);  // too few rows for parts
  CHECK((few.launch.flat && few.rows_shift == 0));
  CHECK(few.items == (1U << 22) + 1);
}

TEST_CASE("vectors cross several rows that are shorter") {
  const Planned three = plan(100, 3, 3);
  CHECK(three.launch.flat);
  CHECK(three.apart == 4);
  CHECK(three.row_ends == 0b01001001001001001001001001001001U);
  CHECK(plan(100, 63, 63).row_ends == 1);
  CHECK(plan(100, 64, 64).row_ends == 0);
  CHECK_FALSE(plan(100, 3, 3, 0, 2).launch.aligned);
  CHECK(plan(100, 3, 3, 0, 2, 2).launch.flat);
  CHECK(plan(100, 63, 63, 0, 2, 2).launch.flat);
  CHECK_FALSE(plan(100, 63, 63, 0, 1, 2).launch.aligned);
}

TEST_CASE("a thread has several rows where there are many and some are broadcast") {
  CHECK(plan(100, 64, 64).rows_shift == 0);
  const Planned many = plan(1 << 16, 256, 256);
  CHECK(many.rows_shift == 2);
  CHECK(many.size[0].divisor == 1U << 14);
  CHECK(many.items == (1U << 20));
  const Planned odd = plan((1 << 16) + 1, 256, 256);  // the last threads have one row
  CHECK(odd.rows_shift == 2);
  CHECK(odd.rows == (1U << 16) + 1);
  CHECK(odd.items == ((1U << 14) + 1) * 64);
  CHECK(many.row_step == 1);
  const Planned narrow = plan(1 << 20, 16, 16);  // a warp reads eight rows at once
  CHECK(narrow.rows_shift == 2);
  CHECK(narrow.row_step == 8);
  CHECK(narrow.row_skip == 24);
}

TEST_CASE("gathered rows that no vectors divide are found first") {
  Operand operands[4];  // z = table(ids) * x
  for (Operand& x : operands) x.itemsize = 2;
  const auto plan_rows = [&](int64_t rows, int64_t columns, int64_t step) {
    for (Operand& x : operands) {
      x.stride[0] = columns;
      x.stride[1] = 1;
    }
    operands[0].stride[0] = step;
    operands[1].stride[0] = 0;  // offsets,
    operands[2].stride[0] = 1;  // and indices
    operands[2].stride[1] = 0;
    ForEachKernels kernels{1, 8, true, {16, 4, 2}};
    kernels.found_rows = {8, 1};
    ElementwiseLoops grid;
    int transposed[4];
    auto launch = weft::cuda::detail::plan_for_each(weft::detail::loops_over({rows, columns}),
                                                    operands, 4, false, kernels, grid, transposed);
    if (launch.finds_rows) {
      const std::uint64_t last = static_cast<std::uint64_t>(columns) + 2046;
      CHECK((last * grid.row_inverse >> 32U) == last / static_cast<std::uint64_t>(columns));
      CHECK(launch.shared_bytes ==
            static_cast<int>((last / static_cast<std::uint64_t>(columns) + 1) * 8));
    }
    return launch;
  };
  for (int64_t columns : {2, 3, 17, 33, 257, 1025, 16383}) {
    CAPTURE(columns);
    CHECK(plan_rows(100, columns, columns).finds_rows);
  }
  CHECK(plan_rows(1000, 17, 17).blocks == 9);
  CHECK_FALSE(plan_rows(100, 24, 24).finds_rows);        // whole vectors
  CHECK_FALSE(plan_rows(100, 17, 18).finds_rows);        // rows of the target are apart
  CHECK_FALSE(plan_rows(100, 16385, 16385).finds_rows);  // too long for exact quotients
}
