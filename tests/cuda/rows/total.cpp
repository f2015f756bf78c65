#include "weft/cuda/rows/total.hpp"

#include <vector>

#include "test.hpp"

using namespace weft;
using weft::detail::RowMode;
using weft::on_cuda::RowKernel;
using weft::on_cuda::RowLaunch;
using weft::on_cuda::RowLoops;
using weft::on_cuda::detail::RowTask;
using weft::on_cuda::detail::TotalMerge;

namespace {

struct Launched {
  RowLoops grid;
  RowLaunch launch;
  int64_t at;
};

std::vector<Launched> merges(unsigned rows, bool of_values) {
  RowTask task;
  task.target = 1;
  task.in_pieces = true;
  RowKernel kernel;
  kernel.reductions = 2;
  kernel.state_bytes = 16;
  kernel.joins = of_values ? 2 : 0;
  RowLoops grid;
  grid.rows = rows;
  grid.count = 10;
  grid.columns = true;
  grid.mode[0] = grid.mode[1] = RowMode::compute;
  std::vector<Launched> out;
  const TotalMerge total(task, kernel, grid);
  char* const memory = nullptr;
  total.run(grid, memory, [&](const RowLaunch& launch, const char* first) {
    out.push_back({grid, launch, first - memory});
  });
  CHECK(out.size() == total.launches());
  CHECK(total.bytes() >= int64_t{rows} * 16);
  return out;
}

}  // namespace

TEST_CASE("few pieces are merged by one block") {
  for (const bool of_values : {false, true}) {
    const auto all = merges(300, of_values);
    REQUIRE(all.size() == 1);
    CHECK(all[0].launch.blocks == 1);
    CHECK(all[0].grid.stage == RowLoops::merge);
    CHECK(all[0].grid.splits == 300);
    CHECK(all[0].grid.of_values == of_values);
    CHECK(all[0].grid.count == (of_values ? 300 : 3000));
    CHECK(all[0].grid.mode[0] == RowMode::skip);
    CHECK(all[0].grid.mode[1] == RowMode::compute);
    CHECK_FALSE(all[0].grid.columns);
  }
}

TEST_CASE("many pieces are merged by blocks with a part of them each, then by one") {
  for (const unsigned rows : {5000U, 5'000'000U}) {
    const auto all = merges(rows, true);
    REQUIRE(all.size() == 2);
    const RowLoops& parts = all[0].grid;
    CHECK(parts.stage == RowLoops::remerge);
    CHECK(parts.pieces == rows);
    CHECK(parts.rows <= 2048);
    CHECK(parts.rows * parts.splits >= rows);
    CHECK((parts.rows - 1) * parts.splits < rows);
    CHECK(all[1].at == int64_t{rows} * 16);
    CHECK(all[1].grid.splits == parts.rows);
    CHECK_FALSE(all[1].grid.of_values);
  }
}
