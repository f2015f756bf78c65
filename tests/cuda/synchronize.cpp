// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/synchronize.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::Cuda;
using weft::StorageHandle;

TEST_CASE("[nogpu] without a GPU there is nothing to wait for") {
  CHECK_NOTHROW(synchronize());
  CHECK_SAYS("[cuda] no CUDA device is available", synchronize(Cuda{1}));
}

TEST_CASE("[gpu] synchronize waits for every stream") {
  const Stream a;
  const Stream b;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  test::fill(x, 1, 30, a);
  test::fill(y, 1, 30, b);
  synchronize();
  CHECK(a.query());
  CHECK(b.query());
}

TEST_CASE("[gpu] synchronize in a capture says so") {
  const Stream stream;
  cudaGraphDestroy(test::captured(
      stream, [] { CHECK_SAYS("[synchronize] the stream is being captured", synchronize()); }));
}
