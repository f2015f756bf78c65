#include "weft/cuda/attention/tensor_tiles.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a tile without masks is plain where all keys are visible") {
  AttentionPlan plan;
  plan.queries = 128;
  plan.keys = 100;
  CHECK(weft::cuda::is_plain_tile(plan, 64, 64, 0, 64));
  CHECK(!weft::cuda::is_plain_tile(plan, 0, 64, 64, 64));  // beyond the keys
  CHECK(!weft::cuda::is_plain_tile(plan, 96, 64, 0, 64));  // beyond the queries
  plan.causal = true;
  CHECK(weft::cuda::is_plain_tile(plan, 63, 64, 0, 64));
  CHECK(!weft::cuda::is_plain_tile(plan, 62, 64, 0, 64));
  const bool mask = false;
  plan.allowed = &mask;
  CHECK(!weft::cuda::is_plain_tile(plan, 63, 64, 0, 64));
  CHECK(weft::cuda::tensor_step<64> % 32 == 4);
}
