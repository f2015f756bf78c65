// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/recorder.hpp>

#include "test.hpp"

using weft::Cuda;
using weft::Recorder;

TEST_CASE("[gpu] a recorder captures a graph") {
  const auto x = weft::zeros({3}, Cuda{});
  auto recording = Recorder<Cuda>::record([&] { x += 1.0F; }, Cuda{});
  CHECK(x(0).item() == 0);
  CHECK(recording.kernels() == 1);
  recording.replay();
  recording.replay();
  CHECK(x(0).item() == 2);
}
