// loader.to(Cuda{}): batches copied to a GPU, overlapping with computation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/copy.hpp"
#include "weft/cuda/memory.hpp"
#include "weft/cuda/stream.hpp"
#include "weft/data/loader.hpp"

namespace weft::data {

/// Batches are assembled in pinned memory and copied on the feed's own stream. Statements that use
/// them on another stream wait for the copy automatically.
template <>
struct Feed<Cuda> {
  explicit Feed(Cuda device) : stream(device) {}

  static HostMemory memory() { return {on_cuda::allocate_pinned}; }
  template <class T, class D>
  Tensor<T, Cuda> operator()(const Tensor<T, D>& x) const {
    const on_cuda::StreamGuard guard(stream);
    return x.to(stream.device(), {.non_blocking = true});
  }

  on_cuda::Stream stream;
};

}  // namespace weft::data
