// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/inspect/explain.hpp>

#include "test.hpp"

TEST_CASE("the threads that share a loop") {
  const auto small = explain(weft::ones({10}) + 1);
  CHECK(small.device == "cpu");
  CHECK(small.bandwidth == 0);
  CHECK(small.kernels[0].threads == 1);
  CHECK(small.kernels[0].blocks == 0);
#if defined(_OPENMP)
  const auto large = explain(weft::ones({1 << 20}) + 1);
  CHECK(large.kernels[0].threads == omp_get_max_threads());
  const auto rows = weft::ones({100, 1000});
  CHECK(explain(rows / sum(rows, weft::axis(1), weft::keepdims)).kernels[0].threads ==
        (omp_get_max_threads() < 100 ? omp_get_max_threads() : 100));
#endif
}
