// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/inspect/monitor.hpp>

#include <weft/cuda.hpp>

#include "test.hpp"

using namespace weft;

TEST_CASE("[gpu] a monitor sees memory that was used between two samples of its thread") {
  weft::cuda::Monitor monitor(Cuda{}, 0.01);
  const auto before = monitor.report();
  CHECK(before.samples >= 2);
  {
    Tensor x = ones({1 << 28}, Cuda{});  // 1 GiB
    for (int i = 0; i < 300; ++i) x += 1.0F;
    synchronize(Cuda{});
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const auto after = monitor.report();
  CHECK(after.samples > before.samples + 3);
  if (!after.available) {
    CHECK(after.memory_peak == -1);
    CHECK(after.gpu == -1);
    return;
  }
  CHECK(after.memory_peak >= int64_t{1} << 30);
  CHECK(after.memory_peak <= after.memory_total);
  CHECK(after.gpu >= 0);
  CHECK(after.gpu <= 100);
  CHECK_SAYS("an interval of 0 s", weft::cuda::Monitor(Cuda{}, 0.0));
}

TEST_CASE("[nogpu] a monitor without a GPU says why") { CHECK_SAYS("[", weft::cuda::Monitor()); }
