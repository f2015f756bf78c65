// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/memory/recording.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::StorageHandle;
using weft::cuda::detail::Recording;

TEST_CASE("no recording unless there is a capture") {
  CHECK(weft::cuda::detail::recording() == nullptr);
  Recording first;
  Recording second;
  weft::cuda::detail::start_recording(first);
  CHECK(weft::cuda::detail::recording() == &first);
  CHECK(weft::detail::draw_recorder == &first.draws);
  weft::cuda::detail::stop_recording();
  weft::cuda::detail::start_recording(second);
  CHECK(second.draws.serial > first.draws.serial);
  CHECK(first.draws.serial > 0);
  weft::cuda::detail::stop_recording();
  CHECK(weft::cuda::detail::recording() == nullptr);
  CHECK(weft::detail::draw_recorder == nullptr);
}

TEST_CASE("[gpu] streams of captures are used again, and are nobody else's") {
  const cudaStream_t one = weft::cuda::detail::take_capture_stream(0);
  const cudaStream_t two = weft::cuda::detail::take_capture_stream(0);
  CHECK(one != two);
  CHECK(weft::cuda::detail::slot_of(0, one) == -1);
  weft::cuda::detail::put_capture_stream(0, one);
  CHECK(weft::cuda::detail::take_capture_stream(0) == one);
  weft::cuda::detail::put_capture_stream(0, one);
  weft::cuda::detail::put_capture_stream(0, two);
}

TEST_CASE("[gpu] a recording holds a storage once, and knows what is written") {
  const Stream stream;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  Recording mine;
  cudaGraph_t graph = test::captured(stream, [&] {
    mine.capture = capture_id(stream);
    CHECK(mine.covers(stream));
    CHECK_FALSE(mine.covers(default_stream()));
    weft::cuda::detail::start_recording(mine);
    CHECK(recorded_handles(x.get()) == 0);
    order_read(x.get(), stream);
    order_read(y.get(), stream);
    order_write(x.get(), stream);
    order_read(x.get(), stream);
    CHECK(recorded_handles(x.get()) == 1);
    CHECK(used_only_on(y.get(), stream));
    CHECK_SAYS(
        "[capture] a statement on a stream of cuda:0 that takes no part in the capture on "
        "cuda:0, expected its current stream, or one that waits for it first",
        order_read(x.get(), default_stream()));

    StorageHandle block(weft::Memory<weft::Cuda>::allocate({}, 1000));
    void* const data = block->data;
    block = StorageHandle(weft::Memory<weft::Cuda>::allocate({}, 1000));
    CHECK(block->data != data);  // both were there at once
    const StorageHandle third(weft::Memory<weft::Cuda>::allocate({}, 700));
    CHECK(third->data == data);
    CHECK(third->bytes == 700);
    weft::cuda::detail::stop_recording();
  });
  CHECK(test::nodes(graph, cudaGraphNodeTypeMemAlloc) == 0);
  cudaGraphDestroy(graph);
  weft::cuda::detail::leave_streams(mine);
  CHECK(recorded_handles(x.get()) == 0);
  CHECK(x.owners() == 2);
  REQUIRE(mine.uses.size() == 4);
  CHECK(mine.uses[0].storage.get() == x.get());
  CHECK(mine.uses[0].written);
  CHECK_FALSE(mine.uses[0].own);
  CHECK_FALSE(mine.uses[1].written);
  CHECK(mine.uses[2].own);
  CHECK(used_only_on(x.get(), default_stream()));
  CHECK(static_cast<CudaStorage&>(*y.get()).writer.handle == default_stream());
}
