// SPDX-License-Identifier: Apache-2.0
#ifdef __CUDACC__
#include <weft/track/cuda.hpp>

#include <weft/cuda.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using namespace weft;

static int count_of(const std::string& text, const std::string& what) {
  int n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST_CASE("[gpu] kernels are noted on the host and on the GPU, those of a capture on the host") {
  const test::TemporaryFolder folder;
  const Tensor x = ones({1 << 16}, Cuda{});
  Tensor y = x * 2.0F;
  track::save_kernel_trace(folder / "before.json");
  track::trace_kernels();
  y = tanh(x) + 1.0F;
  {
    const weft::cuda::Stream side;
    const weft::cuda::StreamGuard guard(side);
    const Tensor z = exp(x);
  }
  track::trace_kernels(false);
  y = x * 3.0F;
  track::save_kernel_trace(folder / "trace.json");
  const std::string json = test::read_bytes(folder / "trace.json");
  CHECK(count_of(json, "\"name\": \"host\"") == 1);
  CHECK(count_of(json, "\"name\": \"cuda:") == 1);
  CHECK(count_of(json, "tanh") == 2);
  CHECK(count_of(json, "exp(") == 2);
  CHECK(count_of(json, "\"ph\": \"X\"") == 4);
  CHECK(count_of(json, "\"dur\": -") == 0);
  CHECK(count_of(json, "\"tid\": 1,") >= 1);  // the second stream's row
  track::save_kernel_trace(folder / "after.json");
  CHECK(count_of(test::read_bytes(folder / "after.json"), "\"ph\": \"X\"") == 0);
}

TEST_CASE("[gpu] copies and replays of graphs are noted, kernels of a graph as one") {
  const test::TemporaryFolder folder;
  Tensor x = ones({1 << 16}, Cuda{});
  auto graph = weft::cuda::capture([&] { x += 1.0F; });
  track::trace_kernels();
  const Tensor y = ones({1 << 16}).to(Cuda{});
  graph.replay();
  const Tensor z = x.to(Cpu{});
  track::trace_kernels(false);
  track::save_trace(folder / "trace.json");
  const std::string json = test::read_bytes(folder / "trace.json");
  for (const char* name : {"copy to the GPU", "graph", "copy to the CPU"}) {
    CAPTURE(name);
    CHECK(count_of(json, "\"name\": \"" + std::string(name) + "\", \"pid\": 0") == 1);
    CHECK(count_of(json, "\"name\": \"" + std::string(name) + "\", \"pid\": 1") == 1);
  }
  CHECK(count_of(json, "\"ph\": \"X\"") == 6);
}
#endif
