// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tune/reduction_choices.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test.hpp"
#include "weft/cuda/rows/register_plan.hpp"

using namespace weft::cuda::detail;
using weft::int64_t;
using weft::cuda::ReduceLoops;
using weft::cuda::RowLoops;
using weft::cuda::RowOperand;
using weft::detail::Loops;
using weft::detail::Operand;
using weft::detail::RowMode;

namespace {

struct Rows : RowLoops {
  RowOperand operand[4];  // output, two leaves, reduction
  weft::cuda::RowLaunch launch;
  weft::cuda::RowKernel kernel;

  Rows(int64_t n, int64_t each, bool down, bool registers) {
    static const std::uint64_t uses[] = {2, 6};
    kernel.outputs = 1;
    kernel.leaves = 2;
    kernel.reductions = 1;
    kernel.lanes = 4;
    kernel.loop_lanes = 8;
    kernel.narrow_lanes = 8;
    kernel.narrow_kept = 6;
    kernel.state_bytes = 8;
    kernel.uses = uses;
    if (registers) {
      kernel.registers.vectors = 8;
      kernel.registers.may_keep = 6;
      kernel.registers.always_kept = 2;
    }
    weft::detail::RowTask task;
    task.geometry = {{n}, {each}};
    task.mode[0] = RowMode::compute;
    task.along_row[0] = true;
    weft::cuda::Properties device;
    device.major = 9;
    device.multiprocessors = 132;
    Operand operands[4];
    Operand inside[4];
    for (int i = 0; i < 4; ++i) {
      for (int64_t& s : operands[i].stride) s = 0;
      operands[i].itemsize = 4;
      operands[i].data = reinterpret_cast<char*>(4096);
      if (i == 3) continue;
      operands[i].stride[0] = down ? 1 : each;
      operands[i].stride[1] = down ? n : 1;
    }
    launch = plan_row_program("test", task, kernel, nullptr, device, operands, inside, *this,
                              operand, nullptr);
  }
  RowChoices plan() { return {kernel, launch, *this, 227 * 1024}; }

  /// How often each thread of a group has each row, as place_in_block() has it.
  std::vector<unsigned char> places() const {
    std::vector<unsigned char> out(std::size_t{rows} * group);
    unsigned char* const at = out.data();
    for (unsigned block = 0; block < launch.blocks; ++block) {
      for (unsigned thread = 0; thread < launch.threads; ++thread) {
        unsigned row = block * rows_a_block + thread / group;
        unsigned among = thread % group;
        if (columns) {
          row = block * rows_a_block + (thread >> (width_shift + group_shift) << width_shift) +
                (thread & ((1U << width_shift) - 1));
          among = thread >> width_shift & (group - 1);
        }
        if (row < rows && among < group) ++at[row * group + among];
      }
    }
    return out;
  }
};

}  // namespace

TEST_CASE("row programs: as many threads have a row, and each has the same part of it") {
  std::set<std::string> seen;
  for (const int64_t length : {1, 8, 33, 64, 100, 250, 512, 3000, 8192, 40000}) {
    for (const bool columns : {false, true}) {
      for (const bool registers : {false, true}) {
        const int64_t rows = length < 1000 ? 5001 : 6000;
        Rows planned(rows, length, columns, registers);
        const std::vector<unsigned char> places = planned.places();
        if (planned.parts.divisor == 1 && planned.width.divisor == 1) {
          CHECK(std::all_of(places.begin(), places.end(), [](unsigned char n) { return n == 1; }));
        }
        const ChoiceList choices = planned.plan().choices();
        for (int i = 1; i < choices.n; ++i) {
          Rows other(rows, length, columns, registers);
          CAPTURE(length);
          CAPTURE(columns);
          CAPTURE(registers);
          CAPTURE(text_of(choices.at[i]).c_str());
          seen.insert(choices.at[i].what);
          other.plan().apply(choices.at[i]);
          CHECK(other.kernel.of(other.launch) == planned.kernel.of(planned.launch));
          CHECK(other.launch.registers == planned.launch.registers);
          CHECK(other.launch.narrow == planned.launch.narrow);
          CHECK(other.group == planned.group);
          CHECK(other.warps == planned.warps);
          CHECK(other.parts.divisor == planned.parts.divisor);
          CHECK(other.apart == planned.apart);
          CHECK(other.chunk == planned.chunk);
          CHECK(other.blocked == planned.blocked);
          CHECK(other.launch.threads % 32 == 0);
          if (other.parts.divisor == 1 && other.width.divisor == 1) {
            CHECK(other.places() == places);
          } else {
            CHECK(other.launch.blocks == planned.launch.blocks);
            CHECK(other.launch.threads == planned.launch.threads);
          }
          CHECK(other.launch.shared_bytes >= 2 * other.scratch);
          CHECK(other.launch.shared_bytes <= 227 * 1024);
          const std::uint64_t read = other.needed | other.read_once;
          CHECK(read == (planned.needed | planned.read_once));
        }
      }
    }
  }
  for (const char* what : {"threads", "ahead", "fetched", "once", "resident"}) {
    CAPTURE(what);
    CHECK(seen.count(what) == 1);
  }
}

namespace {

ReduceLoops reduction(int64_t rows, int64_t columns, bool last_axis, int lanes,
                      int64_t batches = 1) {
  Operand operands[2];
  Operand inside[2];
  Loops kept = weft::detail::loops_over({last_axis ? rows : columns});
  if (batches > 1) kept = weft::detail::loops_over({batches, columns});
  Loops reduced = weft::detail::loops_over({last_axis ? columns : rows});
  for (int i = 0; i < 2; ++i) operands[i].itemsize = inside[i].itemsize = 4;
  operands[0].stride[0] = 1;
  operands[1].stride[0] = last_axis ? columns : 1;
  if (batches > 1) {
    operands[0].stride[0] = columns;
    operands[1].stride[0] = rows * columns;
    operands[0].stride[1] = operands[1].stride[1] = 1;
  }
  inside[0].stride[0] = 0;
  inside[1].stride[0] = last_axis ? 1 : columns;
  ReduceLoops out;
  weft::cuda::detail::plan_reduction("sum", kept, operands, reduced, inside, 2, {4, lanes, 132},
                                     out);
  return out;
}

/// The results and pieces that a group of threads has, as the kernels have it.
std::vector<std::pair<unsigned, unsigned>> pieces(const ReduceLoops& grid, int lanes) {
  std::vector<std::pair<unsigned, unsigned>> out;
  const bool rows = grid.form == ReduceLoops::rows;
  const unsigned group = rows ? grid.width : grid.width * grid.depth;
  for (unsigned place = 0; place < grid.blocks * (grid.threads / group); ++place) {
    if (rows) {
      if (place / grid.splits.divisor < grid.outputs) {
        out.emplace_back(place / grid.splits.divisor, place % grid.splits.divisor);
      }
      continue;
    }
    const unsigned split = grid.tiles.divide(place);
    const unsigned tile = place - split * grid.tiles.divisor;
    const auto lane_count = static_cast<unsigned>(grid.vectors ? lanes : 1);
    for (unsigned x = 0; x < grid.width; ++x) {
      const unsigned number = grid.flat ? tile * grid.width + x : tile;
      const unsigned row = grid.tiles_across.divide(number);
      const unsigned left = number - row * grid.tiles_across.divisor;
      const unsigned first = (grid.flat ? left : left * grid.width + x) * lane_count;
      const bool inside =
          grid.flat ? number * lane_count < grid.outputs : first < grid.kept[0].divisor;
      if (split < grid.splits.divisor && inside) {
        out.emplace_back(row * grid.kept[0].divisor + first, split);
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("reductions: each piece of each result once, by as many threads") {
  std::set<std::string> seen;
  for (const int form : {0, 1, 2}) {  // rows, columns, columns of several matrices
    const bool last_axis = form == 0;
    for (const int64_t rows : {5, 64, 1000, 3000}) {
      for (const int64_t columns : {3, 7, 64, 197, 1252, 30000}) {
        if (rows * columns > 100 * 100 * 1000) continue;
        const ReduceLoops planned = reduction(rows, columns, last_axis, 4, form == 2 ? 7 : 1);
        ReduceLoops copy = planned;
        const auto expected = pieces(planned, 4);
        CHECK(expected.size() * (planned.form == ReduceLoops::columns && planned.vectors ? 4 : 1) ==
              std::size_t{planned.outputs} * planned.splits.divisor);
        CHECK(std::adjacent_find(expected.begin(), expected.end()) == expected.end());
        const ChoiceList choices = ReduceChoices{copy, 4}.choices();
        for (int i = 1; i < choices.n; ++i) {
          ReduceLoops other = planned;
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(form);
          CAPTURE(text_of(choices.at[i]).c_str());
          seen.insert(choices.at[i].what);
          ReduceChoices{other, 4}.apply(choices.at[i]);
          CHECK(other.splits.divisor == planned.splits.divisor);
          CHECK(other.depth == planned.depth);
          CHECK((planned.form == ReduceLoops::columns || other.width == planned.width));
          CHECK(other.threads <= weft::cuda::column_threads);
          CHECK(other.threads >= 32);
          CHECK(pieces(other, 4) == expected);
        }
      }
    }
  }
  CHECK(seen == std::set<std::string>{"threads", "width"});
}

TEST_CASE("groups of threads: other numbers of threads a block") {
  unsigned threads = 256;
  const ChoiceList choices = GroupChoices{threads}.choices();
  CHECK(choices.n == 4);
  GroupChoices{threads}.apply(choices.at[1]);
  CHECK(threads == 32);
}
