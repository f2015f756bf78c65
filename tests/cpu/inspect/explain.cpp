// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/inspect/explain.hpp>

#include "test.hpp"

TEST_CASE("the threads that share a loop") {
  const auto small = explain(weft::ones({10}) + 1);
  CHECK(small.device == "cpu");
  CHECK(small.bandwidth == 0);
  CHECK(small.kernels[0].threads == 1);
  CHECK(small.kernels[0].blocks == 0);
  weft::set_num_threads(3);
  CHECK(explain(weft::ones({1 << 20}) + 1).kernels[0].threads == 3);
  const auto rows = weft::ones({2, 50000});
  CHECK(explain(rows / sum(rows, weft::axis(1), weft::keepdims)).kernels[0].threads == 2);
  weft::set_num_threads(0);
}
