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
}

TEST_CASE("each row of a tile has a place of its own") {
  bool taken[128] = {};
  for (int r = 0; r < 128; ++r) {
    const int place = weft::cuda::tensor_place(r);
    CHECK(place / 32 == r / 32);
    CHECK(!taken[place]);
    taken[place] = true;
  }
  CHECK(weft::cuda::tensor_step<64> % 32 == 4);
}
