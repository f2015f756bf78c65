// Calls CUB's device-wide algorithms with weft's temporary memory and stream.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// Runs f(temporary, bytes, stream), a call of a cub::Device... algorithm, on the current stream
/// with weft's memory; `operation` is named when it fails.
template <class F>
void run_cub(const char* operation, Cuda device, const F& f) {
  const Stream stream = current_stream(device);
  std::size_t bytes = 0;
  check(f(nullptr, bytes, stream.handle()), operation);
  const StorageHandle room(
      Memory<Cuda>::allocate(device, bytes > 0 ? static_cast<int64_t>(bytes) : 1));
  check(f(room->data, bytes, stream.handle()), operation);
  if (sync_requested() && !is_capturing(stream)) stream.synchronize();
}

}  // namespace weft::on_cuda
