// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tune/choices.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "test.hpp"

using namespace weft::cuda::detail;
using weft::int64_t;
using weft::cuda::ElementwiseLoops;
using weft::cuda::ForEachKernels;
using weft::detail::Loops;
using weft::detail::Operand;

namespace {

/// z = x + y over rows by columns, y one row for all.
struct Elementwise {
  int64_t shape[2];
  Loops loops;
  Operand operands[3];
  ForEachKernels kernels{1, 4, true};
  ElementwiseLoops grid;
  int transposed[3];
  ForEachLaunch launch;

  Elementwise(int64_t rows, int64_t columns)
      : shape{rows, columns}, loops(weft::detail::loops_over({rows, columns})) {
    for (Operand& x : operands) {
      x.itemsize = 4;
      x.data = reinterpret_cast<char*>(4096);
      x.stride[0] = columns;
      x.stride[1] = 1;
    }
    operands[2].stride[0] = 0;
    kernels.rows.lanes = 4;
    kernels.crosses = true;
    launch = plan_for_each(loops, operands, 3, false, kernels, grid, transposed);
  }
  ForEachPlan plan() { return {loops, operands, 3, kernels, launch, grid, transposed}; }
  /// How often the kernels' threads go to the vector that begins at each element of the rows, as
  /// cuda/elementwise/for_each.hpp has it.
  std::vector<unsigned char> visited() const {
    const auto rows = static_cast<unsigned>(shape[0]);
    const auto columns = static_cast<unsigned>(shape[1]);
    std::vector<unsigned char> out(std::size_t{rows} * columns);
    bool outside = false;
    const auto visit = [&](unsigned row, unsigned start) {
      if (row < rows && start < columns) {
        ++out[row * columns + start];
      } else {
        outside = true;
      }
    };
    const auto threads = static_cast<unsigned>(launch.threads);
    for (unsigned block = 0; block < launch.blocks; ++block) {
      for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned pass = 0; pass < static_cast<unsigned>(grid.passes); ++pass) {
          const unsigned item =
              (block * static_cast<unsigned>(grid.passes) + pass) * threads + thread;
          if (item >= grid.items) break;
          if (!launch.aligned) {
            const unsigned row = grid.row_items.divide(item);
            visit(row, item - row * grid.row_items.divisor);
            continue;
          }
          const unsigned element = 4 * item;
          unsigned row = grid.row_elements.divide(element);
          const unsigned start = element - row * grid.row_elements.divisor;
          row += (row >> grid.row_shift) * grid.row_skip;
          for (unsigned r = 0; r < 1U << grid.rows_shift; ++r) {
            if (row < grid.rows) visit(row, start);
            row += grid.row_step;
          }
        }
      }
    }
    CHECK_FALSE(outside);
    return out;
  }
};

}  // namespace

TEST_CASE("element-wise: every choice visits each vector once") {
  int several_rows = 0;
  int several_vectors = 0;
  const std::vector<std::pair<int64_t, int64_t>> shapes = {
      {1, 1},      {7, 3},      {1000, 64},  {8192, 256},        {1 << 18, 16},
      {6000, 197}, {6001, 197}, {8191, 256}, {(1 << 18) - 5, 16}};
  for (const auto& shape : shapes) {
    const int64_t rows = shape.first;
    const int64_t columns = shape.second;
    CAPTURE(rows);
    CAPTURE(columns);
    Elementwise planned(rows, columns);
    const auto expected = planned.visited();
    CHECK(*std::max_element(expected.begin(), expected.end()) == 1);
    CHECK(std::count(expected.begin(), expected.end(), 1) >= rows * columns / 4);
    const ChoiceList choices = planned.plan().choices();
    CHECK(choices.n >= 3);
    for (int i = 1; i < choices.n; ++i) {
      Elementwise other(rows, columns);
      CAPTURE(text_of(choices.at[i]).c_str());
      other.plan().apply(choices.at[i]);
      CHECK(other.launch.aligned == planned.launch.aligned);  // the same kernel
      CHECK(other.grid.row_items.divisor == planned.grid.row_items.divisor);
      CHECK(other.visited() == expected);
      several_rows += other.grid.rows_shift > 0;
      several_vectors += other.grid.passes > 1;
    }
  }
  CHECK(several_rows > 0);
  CHECK(several_vectors > 0);
}

TEST_CASE("copies: each form that serves, and the planner's own first") {
  const auto choices = [](const weft::Shape& shape, const weft::Strides& from, int itemsize) {
    Operand operands[2];
    const Loops loops = weft::detail::loops_over(shape);
    operands[0].set(reinterpret_cast<void*>(4096), static_cast<std::size_t>(itemsize), shape,
                    contiguous_strides(shape), nullptr);
    operands[1].set(reinterpret_cast<void*>(65536), static_cast<std::size_t>(itemsize), shape, from,
                    nullptr);
    weft::cuda::TurnedCopy turned;
    weft::cuda::TiledCopy tiled;
    weft::cuda::FlatCopy flat;
    weft::cuda::CopyLaunch launch = plan_copy(loops, operands, turned, tiled, flat);
    const CopyChoices plan{loops, operands, launch, turned, tiled, flat};
    const ChoiceList out = plan.choices();
    for (int i = 1; i < out.n; ++i) {
      CHECK(out.at[i].value != plan.planned());
      weft::cuda::CopyLaunch other = launch;
      CopyChoices chosen{loops, operands, other, turned, tiled, flat};
      chosen.apply(out.at[i]);
      CHECK(chosen.planned() == out.at[i].value);
    }
    return out.n;
  };
  CHECK(choices({1000, 1000}, {1, 1000}, 4) > 1);  // a transposition
  CHECK(choices({300, 5, 300}, {1500, 1, 5}, 2) > 1);
  CHECK(choices({1000, 1000}, {2000, 1}, 4) == 1);  // rows of a wider array
  CHECK(choices({10, 10}, {1, 10}, 4) == 1);        // small
}
