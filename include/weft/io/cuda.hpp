// DLPack on CUDA: tensors of other libraries on a GPU, ordered with their streams.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/memory.hpp"
#include "weft/io/dlpack.hpp"

namespace weft::detail {

template <>
struct DlpackDevice<Cuda> {
  static dlpack::Device device(const Storage* storage) {
    return {dlpack::cuda, storage != nullptr ? storage->ordinal : 0};
  }
  static bool is(std::int32_t type) { return type == dlpack::cuda || type == dlpack::cuda_managed; }

  /// The consumer's stream waits for the last write, and is known as a reader from now on.
  static void lend(Storage* storage, void* stream) {
    on_cuda::order_read(storage, stream_of(storage->ordinal, stream));
  }

  /// The producer's stream counts as the one that wrote last.
  static Storage* adopt(const Foreign& x, void* stream) {
    if (x.ordinal < 0 || x.ordinal >= on_cuda::device_count()) {
      fail<DeviceError>("from_dlpack", "a tensor on cuda:", x.ordinal, " of ",
                        on_cuda::device_count(), " GPUs");
    }
    if (x.bytes > 0) check_address(x);
    struct Adopted : on_cuda::CudaStorage {
      Foreign foreign;
    };
    const on_cuda::Stream producer = stream_of(x.ordinal, stream);
    auto* const storage = new Adopted;
    storage->foreign = x;
    storage->data = x.low;
    storage->bytes = x.bytes;
    storage->ordinal = x.ordinal;
    storage->borrowed = true;
    storage->home = {producer.handle(), x.ordinal};
    storage->writer = storage->home;
    storage->release = [](Storage* s) noexcept {
      auto* const self = static_cast<Adopted*>(s);
      if (!on_cuda::detail::leaving()) {
        try {
          const on_cuda::DeviceGuard guard(Cuda{self->ordinal});
          self->for_each_other(self->home.handle, [&](cudaStream_t other, int ordinal) {
            on_cuda::detail::join(self->home.handle, other, ordinal);
          });
          self->foreign.finish(self->foreign.managed);
        } catch (...) {  // CUDA has failed for good: better lost than freed under a kernel
        }
      }
      delete self;
    };
    return storage;
  }

 private:
  static on_cuda::Stream stream_of(int ordinal, void* stream) {
    return on_cuda::Stream::borrow(static_cast<cudaStream_t>(stream), Cuda{ordinal});
  }

  static void check_address(const Foreign& x) {
    cudaPointerAttributes found = {};
    on_cuda::check(cudaPointerGetAttributes(&found, x.low), "from_dlpack");
    const bool managed = found.type == cudaMemoryTypeManaged;
    if (!managed && (found.type != cudaMemoryTypeDevice || found.device != x.ordinal)) {
      fail<DeviceError>("from_dlpack", "memory that is not on cuda:", x.ordinal,
                        ", as the tensor says");
    }
  }
};

}  // namespace weft::detail
