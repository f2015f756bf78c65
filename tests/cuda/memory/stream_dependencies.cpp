// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/memory/stream_dependencies.hpp>

#include <thread>
#include <vector>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::StorageHandle;

namespace {
constexpr int delay = 50;  // milliseconds
}

TEST_CASE("[gpu] a read on another stream waits for the write, and would race without") {
  const Stream a;
  const Stream b;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  test::fill(x, 7, delay, a);
  test::copy(y, x, 0, b);
  CHECK(test::value_of(y) == 7);

  // The same without the order; a profiler or sanitizer that runs kernels one by one hides it.
  test::slow_fill<<<1, 256, 0, a>>>(test::ints(x), test::count, 8, delay);
  test::slow_copy<<<1, 256, 0, b>>>(test::ints(y), test::ints(x), test::count, 0);
  WARN(test::value_of(y) == 7);
}

TEST_CASE("[gpu] a write waits for reads on other streams") {
  const Stream a;
  const Stream b;
  const Stream c;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  const StorageHandle z = test::zeroed();
  test::fill(x, 1, 0, a);
  test::copy(y, x, delay, b);
  test::copy(z, x, delay, c);
  test::fill(x, 2, 0, a);
  CHECK(test::value_of(y) == 1);
  CHECK(test::value_of(z) == 1);
  CHECK(test::value_of(x) == 2);
}

TEST_CASE("[gpu] more readers than there is room for in place") {
  const StorageHandle x = test::zeroed();
  std::vector<StorageHandle> copies;
  std::vector<Stream> streams(9);
  test::fill(x, 1, delay, streams[0]);
  for (int i = 1; i < 9; ++i) {
    copies.push_back(test::zeroed());
    test::copy(copies.back(), x, 10, streams[static_cast<std::size_t>(i)]);
    test::copy(copies.back(), x, 10, streams[static_cast<std::size_t>(i)]);
  }
  const auto& storage = static_cast<const CudaStorage&>(*x.get());
  CHECK(storage.more_readers.size() == 8 - CudaStorage::near_readers);
  test::fill(x, 2, 0, streams[0]);
  CHECK(storage.more_readers.empty());
  for (const StorageHandle& copy : copies) CHECK(test::value_of(copy) == 1);
}

TEST_CASE("[gpu] a reader that an event was waited for is no reader any more") {
  const Stream a;
  const Stream b;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  const StorageHandle z = test::zeroed();
  test::fill(x, 1, 0, a);
  test::copy(y, x, delay, b);
  a.wait(b.record());
  test::copy(z, y, delay, b);  // what else b is given
  forget_reader(x.get(), b, b);
  CHECK_FALSE(used_only_on(x.get(), a));  // b has not written it
  forget_reader(x.get(), b, a);
  CHECK(used_only_on(x.get(), a));
  test::fill(x, 2, 0, a);
  CHECK(test::value_of(y) == 1);
}

TEST_CASE("[gpu] used_only_on") {
  const Stream a;
  const Stream b;
  const StorageHandle x = test::zeroed();
  CHECK(used_only_on(x.get(), default_stream()));
  CHECK_FALSE(used_only_on(x.get(), a));
  order_write(x.get(), a);
  CHECK(used_only_on(x.get(), a));
  CHECK_FALSE(used_only_on(x.get(), default_stream()));
  order_read(x.get(), a);
  CHECK(used_only_on(x.get(), a));
  order_read(x.get(), b);
  CHECK_FALSE(used_only_on(x.get(), a));
  CHECK_FALSE(used_only_on(x.get(), b));
  order_write(x.get(), b);
  CHECK(used_only_on(x.get(), b));
  order_read(x.get(), nullptr);  // the legacy stream stands for the default one
  CHECK_FALSE(used_only_on(x.get(), b));
}

TEST_CASE("[gpu] several threads may read the same storage") {
  const StorageHandle x = test::zeroed();
  const Stream writer;
  test::fill(x, 3, delay, writer);
  StorageHandle copies[8];
  for (StorageHandle& copy : copies) copy = test::zeroed();
  std::vector<std::thread> threads;
  for (StorageHandle& copy : copies) {
    threads.emplace_back([&copy, &x] {
      const Stream mine;
      for (int i = 0; i < 100; ++i) test::copy(copy, x, 0, mine);
    });
  }
  for (std::thread& t : threads) t.join();
  for (StorageHandle& copy : copies) CHECK(test::value_of(copy) == 3);
}

TEST_CASE("[gpu] a capture waits on the host for work outside, and does not record the wait") {
  const Stream outside;
  const Stream inside;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  test::fill(x, 4, delay, outside);
  cudaGraph_t graph = test::captured(inside, [&] { test::copy(y, x, 0, inside); });
  CHECK(test::nodes(graph, cudaGraphNodeTypeKernel) == 1);
  CHECK(test::nodes(graph, cudaGraphNodeTypeWaitEvent) == 0);
  CHECK(outside.query());
  CHECK(test::value_of(y) == 0);
  test::launch(graph, inside);
  CHECK(test::value_of(y) == 4);
  cudaGraphDestroy(graph);
}

TEST_CASE("[gpu] a second stream joins a capture only when told to") {
  const Stream main;
  const Stream side;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  cudaGraph_t graph = test::captured(main, [&] {
    test::fill(x, 5, 0, main);
    CHECK_SAYS("[capture] a tensor last used on a stream that is being captured",
               order_read(x.get(), side));
    side.wait(main);
    test::copy(y, x, 0, side);
    main.wait(side);
  });
  CHECK(test::nodes(graph, cudaGraphNodeTypeKernel) == 2);
  test::launch(graph, main);
  CHECK(test::value_of(y) == 5);
  cudaGraphDestroy(graph);
}
