// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/stream.hpp>

#include <thread>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;

TEST_CASE("[nogpu] without a GPU there is no stream") {
  CHECK_SAYS("[cuda] no CUDA device is available", Stream());
  CHECK_SAYS("[cuda] no CUDA device is available", default_stream());
  CHECK_SAYS("[cuda] no CUDA device is available", current_stream());
  CHECK_SAYS("[cuda] no CUDA device is available", Stream::borrow(nullptr));
}

TEST_CASE("[gpu] the default stream is one, blocking and current at first") {
  CHECK(default_stream() == default_stream());
  CHECK(current_stream() == default_stream());
  unsigned flags = 99;
  CHECK(cudaStreamGetFlags(default_stream(), &flags) == cudaSuccess);
  CHECK(flags == cudaStreamDefault);
  CHECK(Stream::borrow(nullptr) == default_stream());
  CHECK(Stream::borrow(cudaStreamLegacy) == default_stream());
  CHECK_SAYS("another stream in each thread", Stream::borrow(cudaStreamPerThread));
}

TEST_CASE("[gpu] streams are non-blocking, distinct and come round again") {
  const Stream first;
  const Stream second;
  CHECK_FALSE(first == second);
  CHECK_FALSE(first == default_stream());
  unsigned flags = 99;
  CHECK(cudaStreamGetFlags(first, &flags) == cudaSuccess);
  CHECK(flags == cudaStreamNonBlocking);
  Stream again = second;
  for (int i = 0; i < 31; ++i) again = Stream();
  CHECK(again == first);

  const Stream urgent({}, Priority::high);
  int normal_priority = 0;
  int high_priority = 0;
  CHECK(cudaStreamGetPriority(first, &normal_priority) == cudaSuccess);
  CHECK(cudaStreamGetPriority(urgent, &high_priority) == cudaSuccess);
  CHECK(high_priority <= normal_priority);
}

TEST_CASE("[gpu] the current stream is the thread's own") {
  const Stream outer;
  const Stream inner;
  {
    const StreamGuard guard(outer);
    CHECK(current_stream() == outer);
    {
      const StreamGuard nested(inner);
      CHECK(current_stream() == inner);
    }
    CHECK(current_stream() == outer);
    bool default_elsewhere = false;
    std::thread([&] { default_elsewhere = current_stream() == default_stream(); }).join();
    CHECK(default_elsewhere);
  }
  CHECK(current_stream() == default_stream());
}

TEST_CASE("[gpu] a guard takes the stream's GPU with it") {
  const int last = device_count() - 1;
  const Stream there(weft::Cuda{last});
  {
    const StreamGuard guard(there);
    CHECK(current_device() == last);
    CHECK(current_stream() == there);
  }
  CHECK(current_device() == 0);
}

TEST_CASE("[gpu] synchronize, query and wait") {
  const Stream a;
  const Stream b;
  const weft::StorageHandle x = test::zeroed();
  const weft::StorageHandle y = test::zeroed();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  test::slow_fill<<<1, 256, 0, a>>>(test::ints(x), test::count, 5, 50);
  CHECK_FALSE(a.query());
  CHECK(b.query());
  b.wait(a);
  test::slow_copy<<<1, 256, 0, b>>>(test::ints(y), test::ints(x), test::count, 0);
  b.synchronize();
  CHECK(a.query());
  CHECK(test::value_of(y) == 5);

  test::slow_fill<<<1, 256, 0, a>>>(test::ints(x), test::count, 6, 50);
  b.wait(a.record());
  test::slow_copy<<<1, 256, 0, b>>>(test::ints(y), test::ints(x), test::count, 0);
  CHECK(test::value_of(y) == 6);
}

TEST_CASE("[gpu] the default stream is ordered with the user's plain calls") {
  const weft::StorageHandle x = test::zeroed();
  test::fill(x, 7, 50, default_stream());
  int last = 0;  // cudaMemcpy goes to the legacy stream
  CHECK(cudaMemcpy(&last, test::ints(x) + test::count - 1, sizeof(int), cudaMemcpyDeviceToHost) ==
        cudaSuccess);
  CHECK(last == 7);
  test::slow_fill<<<1, 256>>>(test::ints(x), test::count, 8, 50);
  const weft::StorageHandle y = test::zeroed();
  test::copy(y, x, 0, default_stream());
  CHECK(test::value_of(y) == 8);
}

TEST_CASE("[gpu] a stream in a capture refuses to be waited for") {
  const Stream stream;
  cudaGraphDestroy(test::captured(stream, [&] {
    CHECK_SAYS("[Stream::synchronize] the stream is being captured", stream.synchronize());
    CHECK_SAYS("[Stream::query] the stream is being captured", stream.query());
  }));
}
