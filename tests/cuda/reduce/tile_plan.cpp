#include "weft/cuda/reduce/tile_plan.hpp"

#include "test.hpp"
#include "weft/cuda/reduce/plan.hpp"

using weft::int64_t;
using weft::cuda::ReduceTile;
using weft::detail::Loops;
using weft::detail::Operand;
namespace detail = weft::cuda::detail;

namespace {
struct Rows {
  Loops kept;
  Loops reduced;
  Operand operands[3];
  Operand inside[3];

  /// m rows of one operand with n of the other, of k floats each.
  Rows(int64_t m, int64_t n, int64_t k)
      : kept(weft::detail::loops_over({m, n})), reduced(weft::detail::loops_over({k})) {
    for (Operand& x : operands) x.itemsize = sizeof(float);
    for (Operand& x : inside) x.itemsize = sizeof(float);
    operands[0].stride[0] = n;
    operands[0].stride[1] = 1;
    operands[1].stride[0] = operands[2].stride[1] = k;
    operands[1].stride[1] = operands[2].stride[0] = 0;
    inside[1].stride[0] = inside[2].stride[0] = 1;
  }
  weft::cuda::ReduceLoops plan(bool kernel = true) {
    weft::cuda::ReduceLoops out;
    detail::ReduceLimits limits{4, 4, 132};
    limits.tiles = kernel;
    detail::plan_reduction("sum", kept, operands, reduced, inside, 3, limits, out);
    return out;
  }
};
}  // namespace

TEST_CASE("tiles hold all results, and fit") {
  for (int64_t k : {2, 3, 16, 100, 128}) {
    for (int64_t n : {4, 7, 64, 100, 4096}) {
      CAPTURE(k);
      CAPTURE(n);
      if (k > 16 && n < 16) continue;
      const auto plan = Rows(1 << 18, n, k).plan();
      REQUIRE(plan.form == weft::cuda::ReduceLoops::by_tiles);
      const ReduceTile& tile = plan.tile;
      CHECK(tile.across * tile.width * 4 >= n);
      CHECK((tile.across - 1) * tile.width * 4 < n);
      CHECK(tile.down * tile.rows >= 1 << 18);
      CHECK(plan.blocks == tile.across * tile.down);
      CHECK(tile.rows % (tile.threads / tile.width) == 0);
      CHECK(tile.shared_bytes <= detail::granted_shared_bytes);
      CHECK(tile.pitch > tile.width);
    }
  }
  CHECK(Rows(1 << 18, 64, 16).plan().tile.rows == 128);
  CHECK(Rows(1 << 18, 64, 16).plan().width == 16);
  Rows turned(64, 1 << 18, 100);  // the second operand's rows are along the outer dimension
  std::swap(turned.operands[1], turned.operands[2]);
  const auto plan = turned.plan();
  REQUIRE(plan.form == weft::cuda::ReduceLoops::by_tiles);
  CHECK(plan.tile.columns == 1);
  CHECK(plan.width <= detail::tile_threads_beside);
  CHECK(plan.tile.across * plan.width * 4 >= 64);
  CHECK(plan.tile.down * plan.tile.rows >= 1 << 18);
  CHECK(plan.tile.shared_bytes <= detail::granted_shared_bytes);
}

TEST_CASE("results that tiles do not serve keep their rows") {
  const auto rows = weft::cuda::ReduceLoops::rows;
  CHECK(Rows(1 << 18, 64, 16).plan(false).form == rows);  // no kernel
  CHECK(Rows(1 << 18, 64, 256).plan().form == rows);
  CHECK(Rows(100, 100, 16).plan().form == rows);
  CHECK(Rows(8, 1 << 18, 16).plan().form == rows);
  CHECK(Rows(1 << 18, 2, 16).plan().form == rows);
  CHECK(Rows(1 << 18, 4, 128).plan().form == rows);  // a block's rows do not fit
  Rows both(1 << 12, 64, 16);
  both.operands[1].stride[1] = 1 << 16;
  CHECK(both.plan().form == rows);
  Rows gathered(1 << 12, 64, 16);
  gathered.operands[2].gathered = 4;
  CHECK(gathered.plan().form == rows);
}

TEST_CASE("rows of one tile begin in different banks") {
  CHECK(detail::tiled_row_pitch(16) == 17);
  CHECK(detail::tiled_row_pitch(33) == 33);
}
