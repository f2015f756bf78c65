// Failures that kernels find: a record in pinned memory, and the host's exception for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "weft/core/failure.hpp"
#include "weft/cuda/device.hpp"
#include "weft/cuda/runtime/capture.hpp"
#include "weft/cuda/runtime/mutex.hpp"

namespace weft::on_cuda {

using weft::Failure;
using weft::report_failure;

namespace detail {
[[gnu::visibility("default")]] inline Failure* failure_record = nullptr;
[[gnu::visibility("default")]] inline Mutex failure_mutex;
}  // namespace detail

/// Where kernels on `device` leave a failure; the address is good on the host and every GPU.
WEFT_OUTLINED inline Failure* failure_flag(Cuda device = {}) {
  Failure* record = __atomic_load_n(&detail::failure_record, __ATOMIC_ACQUIRE);
  if (record != nullptr) return record;
  const DeviceGuard guard(device);
  const Lock lock(detail::failure_mutex);
  if (detail::failure_record == nullptr) {
    const detail::RelaxedCapture relaxed;
    void* block = nullptr;
    check(cudaHostAlloc(&block, sizeof(Failure), cudaHostAllocPortable | cudaHostAllocMapped),
          "failure_flag");
    __atomic_store_n(&detail::failure_record, ::new (block) Failure, __ATOMIC_RELEASE);
  }
  return detail::failure_record;
}

/// Throws IndexError if a kernel has left a failure since the last call; costs one load.
inline void check_failures() {
  Failure* record = __atomic_load_n(&detail::failure_record, __ATOMIC_ACQUIRE);
  if (record == nullptr || __atomic_load_n(&record->state, __ATOMIC_ACQUIRE) != 2) return;
  Failure failure;
  {
    const Lock lock(detail::failure_mutex);
    if (__atomic_load_n(&record->state, __ATOMIC_ACQUIRE) != 2) return;
    failure = *record;
    __atomic_store_n(&record->state, 0, __ATOMIC_RELEASE);
  }
  weft::detail::throw_failure(failure);
}

}  // namespace weft::on_cuda
