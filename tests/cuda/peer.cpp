// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/peer.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::Cuda;
using weft::StorageHandle;

TEST_CASE("[nogpu] without a GPU there are no peers") {
  CHECK_SAYS("[cuda] no CUDA device is available", can_access_peer(Cuda{0}, Cuda{1}));
  CHECK_SAYS("[cuda] no CUDA device is available", enable_peer_access(Cuda{0}, Cuda{1}));
}

TEST_CASE("[gpu] a GPU reaches its own memory") {
  CHECK(can_access_peer(Cuda{0}, Cuda{0}));
  CHECK_NOTHROW(enable_peer_access(Cuda{0}, Cuda{0}));
  CHECK_SAYS("there is no device cuda:63", can_access_peer(Cuda{0}, Cuda{63}));
}

TEST_CASE("[gpu] a kernel reads another GPU's tensor, ordered after its writer") {
  if (device_count() < 2 || !can_access_peer(Cuda{1}, Cuda{0})) return;
  const StorageHandle x = test::zeroed();
  enable_peer_access(Cuda{1}, Cuda{0});
  enable_peer_access(Cuda{1}, Cuda{0});
  test::fill(x, 4, 50, default_stream(Cuda{0}));
  const DeviceGuard guard(Cuda{1});
  StorageHandle y = test::zeroed();
  test::copy(y, x, 0, current_stream());
  CHECK(test::value_of(y) == 4);
}
