#include "weft/cuda/reduce/plan.hpp"

#include "test.hpp"

using weft::int64_t;
namespace detail = weft::detail;

namespace {
/// Operands of a reduction, the target first: floats whose strides are still 0.
template <int N>
struct Case {
  detail::Operand operands[N]{};
  detail::Operand inside[N]{};

  Case() {
    for (auto& operand : operands) operand.itemsize = sizeof(float);
    for (auto& operand : inside) operand.itemsize = sizeof(float);
  }
  weft::cuda::ReduceGrid<N> plan(const weft::Shape& kept, const weft::Shape& reduced,
                                 int column_lanes = 4) {
    weft::cuda::ReduceGrid<N> out;
    const detail::Loops results = detail::loops_over(kept);
    const detail::Loops elements = detail::loops_over(reduced);
    weft::cuda::detail::plan_reduction("sum", results, operands, elements, inside, N,
                                       {4, column_lanes, 132}, out);
    weft::cuda::detail::plan_reduced_operands(results, operands, elements, inside, 4, out);
    return out;
  }
};

/// The plan of reducing the last (or first) axis of a contiguous matrix of floats.
weft::cuda::ReduceLoops plan(int64_t rows, int64_t columns, bool last_axis, int column_lanes = 4) {
  Case<2> c;
  c.operands[0].stride[0] = 1;
  c.operands[1].stride[0] = last_axis ? columns : 1;
  c.inside[1].stride[0] = last_axis ? 1 : columns;
  return c.plan({last_axis ? rows : columns}, {last_axis ? columns : rows}, column_lanes);
}
}  // namespace

TEST_CASE("the form follows the geometry") {
  using Loops = weft::cuda::ReduceLoops;
  CHECK(plan(1 << 22, 64, true).form == Loops::rows);
  CHECK(plan(16384, 16384, true).form == Loops::rows);
  CHECK(plan(16384, 16384, false).form == Loops::columns);
  CHECK(plan(1 << 20, 3, false).form == Loops::columns);
  CHECK(plan(1 << 20, 3, false, 0).form == Loops::rows);  // large states have no other kernel
  CHECK(plan(16, 1 << 24, true).splits.divisor > 8);
  CHECK(plan(16384, 16384, true).splits.divisor == 1);
  CHECK(plan(16384, 64, false).splits.divisor > 1);
}

TEST_CASE("a row gets as many threads as it keeps busy") {
  CHECK(plan(1 << 22, 2, true).width == 1);
  CHECK(plan(1 << 22, 16, true).width == 1);
  CHECK(plan(1 << 22, 64, true).width == 4);
  CHECK(plan(1 << 20, 128, true).width == 8);
  CHECK(plan(16384, 16384, true).width == weft::cuda::row_threads);
  const auto narrow = plan(1000, 64, true);
  CHECK(narrow.blocks * (narrow.threads / narrow.width) >= 1000);
  CHECK(plan(1000, 2048, true).width == 64);
  CHECK(plan(1000, 2048, true).threads == 64);
}

TEST_CASE("vectors are numbered along two dimensions where the innermost is short") {
  const auto of_two = [](int64_t outer, int64_t inner) {
    Case<3> c;
    c.inside[1].stride[0] = inner;
    c.inside[1].stride[1] = c.inside[2].stride[0] = 1;  // the second is one element for each row
    return c.plan({}, {outer, inner});
  };
  const auto flat = of_two(100000, 8);
  CHECK(flat.flat);
  CHECK(flat.length == 200000);
  CHECK(flat.outer == 1);
  CHECK(flat.reduced[0].divisor == 2);
  CHECK(flat.step[1] == 16);
  CHECK(flat.reduced_stride[1][1] == 32);
  CHECK(flat.reduced_stride[2][1] == 4);
  CHECK_FALSE(of_two(1000, 1024).flat);
  CHECK(of_two(100000, 7).flat);
  CHECK(of_two(100000, 127).flat);
  CHECK_FALSE(of_two(100000, 129).flat);
}

TEST_CASE("columns share a block where there are few of them, or few elements in each") {
  for (int64_t rows : {1, 7, 64, 100000}) {
    for (int64_t columns : {2, 3, 16, 1000}) {
      const auto p = plan(rows, columns, false);
      if (p.form != weft::cuda::ReduceLoops::columns) continue;
      CHECK(p.width * p.depth <= weft::cuda::column_threads);
      CHECK((p.vectors ? 4 : 1) * p.width * p.tiles_across.divisor >= columns);
    }
  }
  CHECK(plan(1 << 24, 16, false).width == 4);
  CHECK(plan(1 << 24, 16, false).depth == 64);
  CHECK(plan(8, 1 << 20, false).depth == 1);
}

TEST_CASE("the pieces of columns run at a time, five blocks on a multiprocessor") {
  CHECK(plan(16384, 16384, false).blocks == 640);
  CHECK(plan(3456, 28672, false).blocks == 448);  // three pieces would be 672
  CHECK(plan(4096, 400 * 128, false).blocks == 400);
  for (int64_t tiles = 1; tiles < 660; ++tiles) {
    CAPTURE(tiles);
    const auto p = plan(1 << 16, tiles * 128, false);
    CHECK(p.blocks <= 660);
    CHECK(2 * p.blocks > 660);
  }
}

TEST_CASE("vectors need alike rows") {
  CHECK(plan(100, 64, true).vectors);
  CHECK_FALSE(plan(100, 64, true).ragged);
  CHECK(plan(100, 1023, true).vectors);
  CHECK(plan(100, 1023, true).ragged);
  CHECK(plan(100, 1023, true).lead == 1);
  CHECK_FALSE(plan(100, 63, true).vectors);
  CHECK_FALSE(plan(100, 63, false).vectors);
}

TEST_CASE("operands whose vectors begin elsewhere are read element by element beside the others") {
  const auto of_pitch = [](int64_t pitch, bool first_is_aligned) {
    Case<3> c;
    const int aligned = first_is_aligned ? 1 : 2;
    const int other = 3 - aligned;
    c.operands[0].stride[0] = 1;
    c.operands[aligned].stride[0] = 28 * 28;
    c.operands[other].stride[0] = 28 * pitch;
    c.inside[aligned].stride[0] = 28;
    c.inside[other].stride[0] = pitch;
    c.inside[1].stride[1] = c.inside[2].stride[1] = 1;
    return c.plan({1000}, {28, 28});
  };
  const auto beside = [](int64_t columns, int64_t pitch) {  // rows of a matrix, one row for all
    Case<3> c;
    c.operands[0].stride[0] = c.inside[1].stride[0] = c.inside[2].stride[0] = 1;
    c.operands[1].stride[0] = pitch;
    return c.plan({1000}, {columns});
  };
  CHECK(beside(1000, 1000).vectors);
  CHECK(beside(1000, 1000).apart == 0);
  CHECK_FALSE(beside(257, 257).vectors);
  CHECK(beside(257, 257).apart == 0);
  for (const bool first : {true, false}) {
    const auto p = of_pitch(29, first);
    CHECK(p.vectors);
    CHECK_FALSE(p.ragged);
    CHECK(p.lane[first ? 1 : 2] == 1);
    CHECK(p.lane[first ? 2 : 1] == 2);
    CHECK(p.flat);
    CHECK(p.length == 7 * 28);
    CHECK(of_pitch(32, first).apart == 0);
  }
}

TEST_CASE("threads go from item to item of short lines without a division") {
  for (const int64_t inner : {3, 4, 14, 28}) {
    for (const int64_t outer : {5, 64, 300}) {
      Case<2> c;
      c.inside[1].stride[0] = 100;
      c.inside[1].stride[1] = 1;
      const auto p = c.plan({}, {outer, inner});
      REQUIRE(p.flat);
      const unsigned line = p.reduced[0].divisor;
      const auto address = [&](unsigned item) {
        return item % line * p.step[1] + item / line * p.reduced_stride[1][1];
      };
      int wrong = 0;
      for (unsigned item = 0; item + p.width < p.length; ++item) {
        const bool ends = item % line + p.next_inner >= line;
        const int64_t hop = ends ? p.next_line[1] : p.next_item[1];
        wrong += address(item) + hop != address(item + p.width);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("columns of several dimensions share tiles where lanes would be idle") {
  const auto of_middle = [](int64_t batches, int64_t columns) {
    Case<2> c;
    c.operands[0].stride[0] = columns;
    c.operands[1].stride[0] = 1000 * columns;
    c.operands[0].stride[1] = c.operands[1].stride[1] = 1;
    c.inside[1].stride[0] = columns;
    return c.plan({batches, columns}, {1000});
  };
  const auto p = of_middle(14, 17);
  CHECK(p.flat);
  CHECK(p.tiles.divisor * p.width >= 14 * 17);
  CHECK(p.tiles.divisor * p.width < 14 * 17 + p.width);
  CHECK(of_middle(14, 101).flat);
  CHECK_FALSE(of_middle(14, 128).flat);
  CHECK_FALSE(of_middle(1000, 3).flat);  // three of four lanes: a tile would read two matrices
}

TEST_CASE("each part of a split row has work") {
  for (int64_t n : {1, 5, 2047, 2048, 2049, 100003, 5000001}) {
    const auto p = plan(1, n, true);
    const auto pieces = static_cast<int64_t>(p.splits.divisor);
    const int64_t items_at_a_time = int64_t{8} * p.width;
    CHECK((pieces - 1) * items_at_a_time < p.length);
    CHECK(pieces == p.inner_splits.divisor);
  }
}

TEST_CASE("too many results is an error, not a wrong answer") {
  CHECK_SAYS("results", plan(int64_t{1} << 31, 1 << 4, true));
}
