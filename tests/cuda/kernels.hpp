// Kernels and helpers of the tests in this folder: work that takes long enough to race with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/cuda/memory.hpp>

namespace test {

/// Waits that many milliseconds, then writes `value` to all of `out`. One block.
template <class T>
__global__ void slow_fill(T* out, int n, T value, int milliseconds) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < milliseconds * 1000000ull);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
    out[i] = value;
  }
}

/// Waits, then copies. One block.
template <class T>
__global__ void slow_copy(T* out, const T* in, int n, int milliseconds) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < milliseconds * 1000000ull);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
    out[i] = in[i];
  }
}

inline constexpr int count = 1000;
inline constexpr int64_t bytes = count * sizeof(int);

/// A block of `count` ints on the current stream, all 0.
inline weft::StorageHandle zeroed() {
  weft::StorageHandle block(weft::Memory<weft::Cuda>::allocate({}, bytes));
  const weft::cuda::Stream stream = weft::cuda::current_stream();
  weft::cuda::order_write(block.get(), stream);
  weft::cuda::check(cudaMemsetAsync(block->data, 0, bytes, stream), "test");
  return block;
}

inline int* ints(const weft::StorageHandle& block) { return static_cast<int*>(block->data); }

/// Gives `stream` the kernel slow_fill, ordered as weft's own statements are.
inline void fill(const weft::StorageHandle& out, int value, int milliseconds,
                 const weft::cuda::Stream& stream) {
  weft::cuda::order_write(out.get(), stream);
  slow_fill<<<1, 256, 0, stream>>>(ints(out), count, value, milliseconds);
}

/// The same for slow_copy.
inline void copy(const weft::StorageHandle& out, const weft::StorageHandle& in, int milliseconds,
                 const weft::cuda::Stream& stream) {
  weft::cuda::order_read(in.get(), stream);
  weft::cuda::order_write(out.get(), stream);
  slow_copy<<<1, 256, 0, stream>>>(ints(out), ints(in), count, milliseconds);
}

/// The value that all elements have; -1 where they differ. Waits for the whole GPU.
inline int value_of(const weft::StorageHandle& block) {
  weft::cuda::check(cudaDeviceSynchronize(), "test");
  int values[count];
  weft::cuda::check(cudaMemcpy(values, block->data, bytes, cudaMemcpyDeviceToHost), "test");
  for (int v : values) {
    if (v != values[0]) return -1;
  }
  return values[0];
}

/// Captures what `f` does on a stream of its own and returns the graph.
template <class F>
cudaGraph_t captured(const weft::cuda::Stream& stream, F f) {
  const weft::cuda::StreamGuard guard(stream);
  weft::cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "test");
  f();
  cudaGraph_t graph = nullptr;
  weft::cuda::check(cudaStreamEndCapture(stream, &graph), "test");
  return graph;
}

/// The number of nodes of one type.
inline int nodes(cudaGraph_t graph, cudaGraphNodeType wanted) {
  cudaGraphNode_t all[64];
  std::size_t number = 64;
  weft::cuda::check(cudaGraphGetNodes(graph, all, &number), "test");
  int found = 0;
  for (std::size_t i = 0; i < number; ++i) {
    cudaGraphNodeType type;
    weft::cuda::check(cudaGraphNodeGetType(all[i], &type), "test");
    found += type == wanted;
  }
  return found;
}

/// Runs a graph on `stream` that many times and waits for it.
inline void launch(cudaGraph_t graph, const weft::cuda::Stream& stream, int times = 1) {
  cudaGraphExec_t ready = nullptr;
  weft::cuda::check(cudaGraphInstantiate(&ready, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch),
                    "test");
  for (int i = 0; i < times; ++i) weft::cuda::check(cudaGraphLaunch(ready, stream), "test");
  stream.synchronize();
  weft::cuda::check(cudaGraphExecDestroy(ready), "test");
}

}  // namespace test
