// Direct access of one GPU to the memory of another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/allocator.hpp"

namespace weft::on_cuda {

/// True when kernels on `from` can be allowed to use memory on `to`.
inline bool can_access_peer(Cuda from, Cuda to) {
  const int a = resolve(from);
  const int b = resolve(to);
  if (a == b) return true;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, a, b), "can_access_peer");
  return can != 0;
}

/// Lets kernels on `from` use memory on `to`: weft's tensors there, old and new, and the user's.
inline void enable_peer_access(Cuda from, Cuda to) {
  const int a = resolve(from);
  const int b = resolve(to);
  if (a == b) return;
  if (!can_access_peer(Cuda{a}, Cuda{b})) {
    fail<DeviceError>("enable_peer_access", "cuda:", a, " cannot reach the memory of cuda:", b);
  }
  {
    const DeviceGuard guard(Cuda{a});
    const cudaError_t status = cudaDeviceEnablePeerAccess(b, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
      detail::quiet(status);
    } else {
      check(status, "enable_peer_access");
    }
  }
  allocator(Cuda{b}).allow_peer(a);  // pools do not follow cudaDeviceEnablePeerAccess
}

}  // namespace weft::on_cuda
