#include "weft/ops/conv/pool_run.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("sizes of pooling") {
  const pool::Window w = pool::plan("f", {1, 2, 6, 8}, 2, 3, 2, 1, 1, true);
  CHECK(pool::result_shape({1, 2, 6, 8}, w) == Shape{1, 2, 4, 5});
  const pool::Window floor = pool::plan("f", {1, 2, 6, 8}, 2, 3, 2, 1, 1, false);
  CHECK(pool::result_shape({1, 2, 6, 8}, floor) == Shape{1, 2, 3, 4});
  CHECK_SAYS("[f] a kernel 0, expected at least 1",
             pool::plan("f", {1, 2, 6}, 1, 0, 1, 0, 1, false));
}
