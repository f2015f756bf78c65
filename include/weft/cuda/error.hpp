// CUDA's error codes as weft's exceptions, and the state of a program that is exiting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <pthread.h>

#include <cstdlib>

#include "weft/core/error.hpp"

// To the user, weft's CUDA functions are in weft::cuda. CCCL has a namespace ::cuda, and nvcc's
// generated code uses cuda::std without leading colons, which `using namespace weft` at file scope
// would make ambiguous if weft::cuda were another namespace. So it is the same one, which sees
// weft's.
namespace weft::on_cuda {}
namespace cuda {
using namespace weft::on_cuda;  // NOLINT(google-build-using-namespace)
}
namespace weft {
namespace cuda = ::cuda;
}

namespace weft::on_cuda {

namespace detail {
/// Set at program exit and in a forked child: from then on memory is left to the operating system.
[[gnu::visibility("default")]] inline int leaving_flag = 0;

inline void set_leaving() { __atomic_store_n(&leaving_flag, 1, __ATOMIC_RELAXED); }
inline bool leaving() noexcept { return __atomic_load_n(&leaving_flag, __ATOMIC_RELAXED) != 0; }

/// To be called after CUDA's own start-up, so that its exit handlers run after this one.
WEFT_ONCE inline void watch_for_exit() {
  static const bool watching = [] {
    std::atexit(set_leaving);
    pthread_atfork(nullptr, nullptr, set_leaving);
    return true;
  }();
  (void)watching;
}

/// Ignores the status of a call that may fail without harm, and clears CUDA's last error.
inline bool quiet(cudaError_t status) noexcept {
  if (status != cudaSuccess) (void)cudaGetLastError();
  return status == cudaSuccess;
}

[[noreturn]] WEFT_ONCE inline void raise(cudaError_t status, const char* operation,
                                         std::initializer_list<weft::detail::Part> details) {
  (void)cudaGetLastError();
  const bool forked = status == cudaErrorInitializationError && leaving();
  Text what = weft::detail::join({cudaGetErrorName(status), ": ", cudaGetErrorString(status),
                                  forked ? ", CUDA cannot be used after fork()" : ""});
  if (details.size() > 0) what += ", " + weft::detail::join(details);
  if (status == cudaErrorMemoryAllocation) fail<OutOfMemory>(operation, what);
  fail<DeviceError>(operation, what);
}
}  // namespace detail

/// Throws DeviceError (or OutOfMemory, if that is the reason) unless `status` is success:
/// `[operation] cudaErrorName: text, details`. CUDA's last error is cleared where CUDA allows it.
template <class... Parts>
void check(cudaError_t status, const char* operation, const Parts&... details) {
  if (status == cudaSuccess) [[likely]]
    return;
  detail::raise(status, operation, {weft::detail::Part(details)...});
}

}  // namespace weft::on_cuda
