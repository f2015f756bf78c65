// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/pinned.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::Cpu;
using weft::Memory;
using weft::StorageHandle;

TEST_CASE("[nogpu] without a GPU there is no page-locked memory") {
  CHECK_SAYS("[cuda] no CUDA device is available", allocate_pinned(16));
  CHECK_NOTHROW(empty_pinned_cache());
}

TEST_CASE("ordinary memory is not page-locked") {
  const StorageHandle x(Memory<Cpu>::allocate(Cpu{}, 16));
  CHECK_FALSE(is_pinned(x.get()));
}

TEST_CASE("[gpu] page-locked memory") {
  const StorageHandle x(allocate_pinned(1000));
  CHECK(is_pinned(x.get()));
  CHECK(x->ordinal == -1);
  CHECK(x->bytes == 1000);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, x->data) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeHost);
  CHECK_SAYS("[allocate_pinned] 4611686018427387904 bytes", allocate_pinned(std::int64_t{1} << 62));
  const StorageHandle empty(allocate_pinned(0));
  CHECK(empty->bytes == 0);
}

TEST_CASE("[gpu] a block is used again, but not before its copies are done") {
  empty_pinned_cache();
  const Stream stream;
  const StorageHandle x = test::zeroed();
  StorageHandle a(allocate_pinned(test::bytes));
  void* const first = a->data;
  a = {};
  a = StorageHandle(allocate_pinned(test::bytes));
  CHECK(a->data == first);

  test::fill(x, 5, 50, stream);
  for (int i = 0; i < 2; ++i) {
    check(cudaMemcpyAsync(a->data, x->data, test::bytes, cudaMemcpyDeviceToHost, stream), "test");
    note_pinned_use(a.get(), stream);
  }
  a = {};
  StorageHandle b(allocate_pinned(test::bytes));
  CHECK(b->data != first);
  stream.synchronize();
  a = StorageHandle(allocate_pinned(test::bytes));
  CHECK(a->data == first);
  CHECK(static_cast<int*>(a->data)[test::count - 1] == 5);
}

TEST_CASE("[gpu] copies both ways beside the calling thread") {
  const Stream stream;
  StorageHandle host(allocate_pinned(test::bytes));
  auto* values = static_cast<int*>(host->data);
  for (int i = 0; i < test::count; ++i) values[i] = 9;
  const StorageHandle x = test::zeroed();
  test::fill(x, 1, 50, stream);
  check(cudaMemcpyAsync(x->data, values, test::bytes, cudaMemcpyHostToDevice, stream), "test");
  note_pinned_use(host.get(), stream);
  CHECK_FALSE(stream.query());
  host = {};
  CHECK(test::value_of(x) == 9);
}

TEST_CASE("[gpu] a block that a graph names is not used again") {
  const Stream stream;
  const StorageHandle x = test::zeroed();
  StorageHandle host(allocate_pinned(test::bytes));
  void* const named = host->data;
  cudaGraph_t graph = test::captured(stream, [&] {
    order_read(x.get(), stream);
    check(cudaMemcpyAsync(named, x->data, test::bytes, cudaMemcpyDeviceToHost, stream), "test");
    note_pinned_use(host.get(), stream);
  });
  host = {};
  const StorageHandle next(allocate_pinned(test::bytes));
  CHECK(next->data != named);
  test::launch(graph, stream);
  cudaGraphDestroy(graph);
}
