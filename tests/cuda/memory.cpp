// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/memory.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::Cuda;
using weft::CudaAt;
using weft::Memory;
using weft::StorageHandle;

namespace {
constexpr std::int64_t mebibyte = 1 << 20;

StorageHandle block(std::int64_t bytes) { return StorageHandle(Memory<Cuda>::allocate({}, bytes)); }

StorageHandle released_last;  // made before CUDA is used, so released after CUDA has gone
}  // namespace

TEST_CASE("[nogpu] without a GPU the statistics are zero and allocation says why") {
  CHECK(memory_allocated() == 0);
  CHECK(max_memory_allocated() == 0);
  CHECK(memory_reserved() == 0);
  CHECK(max_memory_reserved() == 0);
  CHECK_NOTHROW(reset_peak_memory_stats());
  CHECK_NOTHROW(empty_cache());
  CHECK_SAYS("[cuda] no CUDA device is available", block(16));
  CHECK_SAYS("[cuda] no CUDA device is available", Memory<Cuda>::borrow({}, nullptr, 0));
  CHECK_SAYS("[cuda] no CUDA device is available", mem_get_info());
}

TEST_CASE("[gpu] statistics go up and down, and remember the peak") {
  empty_cache();
  reset_peak_memory_stats();
  const std::int64_t before = memory_allocated();
  StorageHandle small = block(1000);
  StorageHandle large = block(512 * mebibyte);
  CHECK(memory_allocated() == before + 1000 + 512 * mebibyte);
  CHECK(memory_reserved() >= memory_allocated());
  large = {};
  CHECK(memory_allocated() == before + 1000);
  CHECK(max_memory_allocated() == before + 1000 + 512 * mebibyte);
  CHECK(max_memory_reserved() >= 512 * mebibyte);
  CHECK(memory_reserved() >= 512 * mebibyte);  // kept for the next one
  empty_cache();
  CHECK(memory_reserved() < 512 * mebibyte);
  reset_peak_memory_stats();
  CHECK(max_memory_allocated() == before + 1000);
  CHECK(max_memory_reserved() < 512 * mebibyte);
  small = {};
  CHECK(memory_allocated() == before);
}

TEST_CASE("[gpu] what a storage knows") {
  const StorageHandle x = block(1000);
  CHECK(x->data != nullptr);
  CHECK(x->bytes == 1000);
  CHECK(x->ordinal == current_device());
  CHECK_FALSE(x->borrowed);
  const StorageHandle empty = block(0);
  CHECK(empty->data == nullptr);
  const StorageHandle fixed(Memory<CudaAt<0>>::allocate(CudaAt<0>{}, 16));
  CHECK(fixed->ordinal == 0);
  CHECK(mem_get_info().total >= mem_get_info().free);
  CHECK_SAYS("there is no device cuda:60", Memory<Cuda>::allocate(Cuda{60}, 16));
}

TEST_CASE("[gpu] borrowed memory is neither counted nor freed") {
  const std::int64_t before = memory_allocated();
  int* mine = nullptr;
  CHECK(cudaMalloc(&mine, test::bytes) == cudaSuccess);
  {
    const StorageHandle x(Memory<Cuda>::borrow({}, mine, test::bytes));
    CHECK(x->borrowed);
    CHECK(memory_allocated() == before);
    test::fill(x, 3, 0, current_stream());
    CHECK(test::value_of(x) == 3);
  }
  CHECK(cudaMemset(mine, 0, test::bytes) == cudaSuccess);
  CHECK(cudaFree(mine) == cudaSuccess);
}

TEST_CASE("[gpu] out of memory says how much, and weft goes on") {
  CHECK_THROWS_AS(block(std::int64_t{1} << 50), weft::OutOfMemory);
  CHECK_SAYS("[allocate] 1125899906842624 bytes could not be had on cuda:0, where ",
             block(std::int64_t{1} << 50));
  CHECK(cudaGetLastError() == cudaSuccess);
  const StorageHandle x = test::zeroed();
  test::fill(x, 1, 0, current_stream());
  CHECK(test::value_of(x) == 1);
}

TEST_CASE("[gpu] memory kept for later is given up when it is needed") {
  empty_cache();
  const std::int64_t half = mem_get_info().free / 2;
  if (half < 4096 * mebibyte) return;
  {
    const StorageHandle first = block(half - 512 * mebibyte);
    const Stream side;
    order_read(first.get(), side);
  }
  const StorageHandle whole = block(2 * half - 2048 * mebibyte);
  CHECK(whole->data != nullptr);
}

TEST_CASE("[gpu] memory is not used again while another stream reads it") {
  for (std::int64_t bytes : {test::bytes, 4 * mebibyte}) {
    const Stream side;
    const StorageHandle y = test::zeroed();
    StorageHandle x(Memory<Cuda>::allocate({}, bytes));
    test::fill(x, 1, 0, default_stream());
    test::copy(y, x, 50, side);
    x = {};
    for (int i = 0; i < 4; ++i) {  // would overwrite x if its memory were back too early
      const StorageHandle next(Memory<Cuda>::allocate({}, bytes));
      test::fill(next, 2, 0, default_stream());
    }
    CHECK(test::value_of(y) == 1);
  }
}

TEST_CASE("[gpu] many threads allocate and release") {
  const std::int64_t before = memory_allocated();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      const Stream mine;
      const Stream& used = t % 2 == 0 ? mine : default_stream();
      const StreamGuard guard(used);
      for (int i = 0; i < 500; ++i) {
        const StorageHandle x = block(1 + (i * 7919) % (2 * mebibyte));
        const StorageHandle y = block(1 + i);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(memory_allocated() == before);
}

TEST_CASE("[gpu] memory released in a capture stays out of the graph") {
  const Stream stream;
  const StreamGuard guard(stream);
  StorageHandle x = test::zeroed();
  StorageHandle elsewhere = test::zeroed();
  order_write(elsewhere.get(), default_stream());
  cudaGraph_t graph = test::captured(stream, [&] {
    test::fill(x, 1, 0, stream);
    x = {};
    order_read(elsewhere.get(), stream);
    elsewhere = {};
  });
  CHECK(weft::cuda::detail::deferred.head != nullptr);
  CHECK(test::nodes(graph, cudaGraphNodeTypeMemFree) == 0);
  const StorageHandle next = block(16);
  CHECK(weft::cuda::detail::deferred.head == nullptr);
  cudaGraphDestroy(graph);
}

TEST_CASE("[gpu] memory allocated in a capture belongs to the graph") {
  const Stream stream;
  const StorageHandle out = test::zeroed();
  const std::int64_t before = memory_allocated();
  StorageHandle kept;
  cudaGraph_t graph = test::captured(stream, [&] {
    StorageHandle temporary = block(test::bytes);
    test::fill(temporary, 6, 0, stream);
    test::copy(out, temporary, 0, stream);
    temporary = {};
    kept = block(test::bytes);
    CHECK(used_only_on(kept.get(), stream));
    test::copy(kept, out, 0, stream);
  });
  CHECK(test::nodes(graph, cudaGraphNodeTypeMemAlloc) == 2);
  CHECK(test::nodes(graph, cudaGraphNodeTypeMemFree) == 1);
  CHECK(memory_allocated() == before);
  CHECK_FALSE(used_only_on(kept.get(), stream));
  test::launch(graph, stream, 2);
  CHECK(test::value_of(out) == 6);
  kept = {};
  cudaGraphDestroy(graph);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("[gpu] a forked child may drop tensors, and is told that it cannot make any") {
  StorageHandle x = test::zeroed();
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    x = {};
    bool told = false;
    try {
      block(64 * mebibyte);
    } catch (const weft::Error&) {
      told = true;
    }
    _exit(told ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("[gpu] static tensors may outlive CUDA") {
  static const StorageHandle released_first = test::zeroed();
  released_last = test::zeroed();
  CHECK(released_first->data != released_last->data);
}
