// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/runtime/capture.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;

TEST_CASE("[gpu] capture ids") {
  const Stream stream;
  CHECK(capture_id(stream) == 0);
  CHECK_FALSE(is_capturing(stream));
  CHECK_NOTHROW(refuse_capture(stream, "item"));
  unsigned long long first = 0;
  unsigned long long second = 0;
  cudaGraphDestroy(test::captured(stream, [&] {
    first = capture_id(stream);
    CHECK(is_capturing(stream));
    CHECK_FALSE(is_capturing(default_stream()));
    CHECK_SAYS("[item] the stream is being captured", refuse_capture(stream, "item"));
  }));
  cudaGraphDestroy(test::captured(stream, [&] { second = capture_id(stream); }));
  CHECK(first != 0);
  CHECK(second != 0);
  CHECK(first != second);
  CHECK(capture_id(stream) == 0);
}

TEST_CASE("[gpu] relaxed mode allows allocation beside a capture") {
  const Stream stream;
  cudaGraph_t graph = test::captured(stream, [] {
    const weft::cuda::detail::RelaxedCapture relaxed;
    void* block = nullptr;
    CHECK(cudaMalloc(&block, 16) == cudaSuccess);
    CHECK(cudaFree(block) == cudaSuccess);
  });
  CHECK(graph != nullptr);
  cudaGraphDestroy(graph);
}
