// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/inspect/utilization.hpp>

#include "test.hpp"

using weft::cuda::utilization;
using weft::cuda::Utilization;

TEST_CASE("[gpu] what NVML says, or that it is not there") {
  const weft::Tensor x = weft::ones({1 << 20}, weft::Cuda{});
  const Utilization now = utilization();
  if (!now.available) {
    CHECK(now.gpu == -1);
    CHECK(now.memory_total == -1);
    return;
  }
  CHECK(now.gpu <= 100);
  CHECK(now.memory_bus <= 100);
  CHECK(now.memory_used > 0);
  CHECK(now.memory_used <= now.memory_total);
  // NVML counts what the driver keeps for itself too.
  CHECK(now.memory_total >= weft::cuda::mem_get_info().total);
  CHECK(now.temperature < 150);
  CHECK_SAYS("cuda:77", utilization(weft::Cuda{77}));
}

TEST_CASE("[nogpu] without a GPU the reason is said") { CHECK_SAYS("[", utilization()); }
