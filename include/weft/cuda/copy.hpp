// Copies between the CPU and GPUs, and between GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/peer.hpp"
#include "weft/cuda/pinned.hpp"
#include "weft/cuda/runtime/launch_observer.hpp"
#include "weft/cuda/synchronize.hpp"
#include "weft/eval/transfer.hpp"

namespace weft {

/// To a GPU. From pinned memory with non_blocking, the copy overlaps with the CPU's further work.
template <>
struct Transfer<Cpu, Cuda> {
  static Storage* allocate(Cuda device, int64_t bytes, CopyOptions) {
    return Memory<Cuda>::allocate(device, bytes);
  }
  static void copy(Storage* from, const void* source, Storage* to, void* target, int64_t bytes,
                   CopyOptions options) {
    const on_cuda::DeviceGuard guard(Cuda{to->ordinal});
    const on_cuda::Stream stream = on_cuda::current_stream(Cuda{to->ordinal});
    const bool pinned = from != nullptr && on_cuda::is_pinned(from);
    if (!pinned) on_cuda::refuse_capture(stream, "to");
    on_cuda::order_write(to, stream);
    {
      const on_cuda::detail::ObservedLaunch observed({"copy to the GPU"},
                                                     on_cuda::detail::copy_observer);
      on_cuda::check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes),
                                     cudaMemcpyHostToDevice, stream.handle()),
                     "to", "copying ", bytes, " bytes to ", stream.device());
    }
    if (pinned) on_cuda::note_pinned_use(from, stream);
    if (!(options.non_blocking && pinned) && !on_cuda::is_capturing(stream)) stream.synchronize();
  }
};

/// To the CPU. With non_blocking the result is in pinned memory and holds the elements only after
/// the stream (or an event recorded on it) has been waited for.
template <>
struct Transfer<Cuda, Cpu> {
  template <class Host>
  static Storage* allocate(Host device, int64_t bytes, CopyOptions options) {
    return options.non_blocking ? on_cuda::allocate_pinned(bytes)
                                : Memory<Host>::allocate(device, bytes);
  }
  static void copy(Storage* from, const void* source, Storage* to, void* target, int64_t bytes,
                   CopyOptions options) {
    const on_cuda::DeviceGuard guard(Cuda{from->ordinal});
    const on_cuda::Stream stream = on_cuda::current_stream(Cuda{from->ordinal});
    if (!options.non_blocking) on_cuda::refuse_capture(stream, "to");
    on_cuda::order_read(from, stream);
    {
      const on_cuda::detail::ObservedLaunch observed({"copy to the CPU"},
                                                     on_cuda::detail::copy_observer);
      on_cuda::check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes),
                                     cudaMemcpyDeviceToHost, stream.handle()),
                     "to", "copying ", bytes, " bytes from ", stream.device());
    }
    if (on_cuda::is_pinned(to)) on_cuda::note_pinned_use(to, stream);
    if (!options.non_blocking) stream.synchronize();
  }
};

/// Between GPUs, on the source's current stream; the target's streams wait for it. CUDA does not
/// allow such a copy in a graph.
template <>
struct Transfer<Cuda, Cuda> {
  static int resolve(Cuda device) { return on_cuda::resolve(device); }

  static Storage* allocate(Cuda device, int64_t bytes, CopyOptions) {
    return Memory<Cuda>::allocate(device, bytes);
  }
  static void copy(Storage* from, const void* source, Storage* to, void* target, int64_t bytes,
                   CopyOptions) {
    const on_cuda::DeviceGuard guard(Cuda{from->ordinal});
    const on_cuda::Stream stream = on_cuda::current_stream(Cuda{from->ordinal});
    if (on_cuda::is_capturing(stream)) {
      fail<DeviceError>("to", "a copy from cuda:", from->ordinal, " to cuda:", to->ordinal,
                        " in a capture: CUDA takes no such copy into a graph, expected it before ",
                        "or after the capture");
    }
    on_cuda::order_read(from, stream);
    on_cuda::order_write(to, stream);
    const on_cuda::detail::ObservedLaunch observed({"copy between GPUs"},
                                                   on_cuda::detail::copy_observer);
    on_cuda::check(cudaMemcpyPeerAsync(target, to->ordinal, source, from->ordinal,
                                       static_cast<std::size_t>(bytes), stream.handle()),
                   "to", "copying ", bytes, " bytes from cuda:", from->ordinal,
                   " to cuda:", to->ordinal);
  }
};

namespace on_cuda {
/// A copy of a CPU tensor in pinned memory, so that copies to and from it can overlap with
/// computation.
template <class T>
Tensor<std::remove_const_t<T>, Cpu> pin(const Tensor<T, Cpu>& x) {
  using U = std::remove_const_t<T>;
  const int64_t bytes = x.size() * static_cast<int64_t>(sizeof(U));
  StorageHandle storage(allocate_pinned(bytes));
  U* data = static_cast<U*>(storage->data);
  auto out = weft::detail::Access::make<U, Cpu>(static_cast<StorageHandle&&>(storage), data,
                                                x.shape(), contiguous_strides(x.shape()));
  out.assign(x);
  return out;
}

/// True when the tensor's elements are in page-locked memory that weft allocated.
template <class T>
bool is_pinned(const Tensor<T, Cpu>& x) {
  return x.storage() != nullptr && is_pinned(x.storage());
}
}  // namespace on_cuda

WEFT_MODEL(Transferable<Cpu, Cuda>&& Transferable<Cuda, Cpu>&& Transferable<Cuda, Cuda>);

}  // namespace weft
