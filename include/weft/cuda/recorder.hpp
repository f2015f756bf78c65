// Recorder<Cuda>: a function's statements as a CUDA graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/recorder.hpp"
#include "weft/cuda/graph.hpp"

namespace weft {

template <>
struct Recorder<Cuda> {
  using Recording = on_cuda::Graph;
  template <class F>
  static Recording record(const F& f, Cuda device) {
    return on_cuda::capture(f, device);
  }
};

}  // namespace weft
