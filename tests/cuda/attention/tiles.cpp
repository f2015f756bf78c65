#include "weft/cuda/attention/tiles.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("where the logarithm of a query's sum is") {
  weft::cuda::AttentionGrid<weft::half> grid;
  grid.plan.heads = 3;
  grid.plan.queries = 5;
  CHECK(grid.log_at(0, 0, 4) == 4);
  CHECK(grid.log_at(2, 1, 0) == 35);
  CHECK(weft::cuda::no_score<float> < -1e38F);
}
