// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/event.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;

TEST_CASE("an event that was never recorded is done") {
  const Event event;
  CHECK(event.handle() == nullptr);
  CHECK(event.query());
  CHECK_NOTHROW(event.synchronize());
}

TEST_CASE("[gpu] an event marks a place in a stream") {
  const Stream stream;
  const weft::StorageHandle x = test::zeroed();
  test::fill(x, 1, 50, stream);
  const Event event = stream.record();
  CHECK_FALSE(event.query());
  CHECK(cudaGetLastError() == cudaSuccess);
  event.synchronize();
  CHECK(event.query());
}

TEST_CASE("[gpu] events with timing measure") {
  const Stream stream;
  const weft::StorageHandle x = test::zeroed();
  Event start(true);
  Event end(true);
  start.record(stream);
  test::fill(x, 1, 20, stream);
  end.record(stream);
  end.synchronize();
  CHECK(end.milliseconds_since(start) >= 19);
  CHECK(end.milliseconds_since(start) < 2000);
  CHECK_SAYS("both events must have timing", end.milliseconds_since(stream.record()));
}

TEST_CASE("[gpu] events move") {
  const Stream stream;
  Event a = stream.record();
  const cudaEvent_t handle = a.handle();
  Event b = static_cast<Event&&>(a);
  CHECK(b.handle() == handle);
  CHECK(a.handle() == nullptr);
  a = static_cast<Event&&>(b);
  CHECK(a.handle() == handle);
  a.record(stream);
  a.synchronize();
}
