// Counts the kernels, memory operations and copies that statements launch, by capturing them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/cuda.hpp"

struct GraphNodes {
  int kernels = 0;
  int memsets = 0;
  int copies = 0;
  int allocations = 0;
};

/// What `statements()` launches on the current stream.
template <class F>
GraphNodes captured(F&& statements) {
  const weft::cuda::Stream stream;
  GraphNodes count;
  cudaGraph_t graph = nullptr;
  {
    const weft::cuda::StreamGuard guard(stream);
    weft::cuda::check(cudaStreamBeginCapture(stream.handle(), cudaStreamCaptureModeThreadLocal),
                      "captured");
    try {
      statements();
    } catch (...) {
      cudaStreamEndCapture(stream.handle(), &graph);
      throw;
    }
    weft::cuda::check(cudaStreamEndCapture(stream.handle(), &graph), "captured");
  }
  std::size_t n = 0;
  weft::cuda::check(cudaGraphGetNodes(graph, nullptr, &n), "captured");
  std::vector<cudaGraphNode_t> nodes(n);
  weft::cuda::check(cudaGraphGetNodes(graph, nodes.data(), &n), "captured");
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    weft::cuda::check(cudaGraphNodeGetType(node, &type), "captured");
    count.kernels += type == cudaGraphNodeTypeKernel;
    count.memsets += type == cudaGraphNodeTypeMemset;
    count.copies += type == cudaGraphNodeTypeMemcpy;
    count.allocations += type == cudaGraphNodeTypeMemAlloc;
  }
  weft::cuda::check(cudaGraphDestroy(graph), "captured");
  return count;
}
