// Failures that kernels find: a record in pinned memory, and the host's exception for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "weft/cuda/capture.hpp"
#include "weft/cuda/device.hpp"
#include "weft/cuda/mutex.hpp"

namespace weft::cuda {

/// What a kernel leaves when it meets a bad index. It goes on with 0 or NaN in its place.
struct Failure {
  int state = 0;                    ///< 0 none, 1 being written, 2 complete
  int ordinal = -1;                 ///< the GPU it happened on
  const char* operation = nullptr;  ///< a literal of the host's, handed through the kernel
  long long index = 0;              ///< the value found
  long long low = 0;                ///< the least and the greatest that were expected
  long long high = 0;
};

namespace detail {
[[gnu::visibility("default")]] inline Failure* failure_record = nullptr;
[[gnu::visibility("default")]] inline Mutex failure_mutex;
}  // namespace detail

/// Where kernels on `device` leave a failure; the address is good on the host and every GPU.
[[gnu::noinline]] inline Failure* failure_flag(Cuda device = {}) {
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
  fail<IndexError>(failure.operation, "index ", failure.index,
                   " is out of range on cuda:", failure.ordinal, ", expected ", failure.low, " to ",
                   failure.high);
}

#ifdef __CUDACC__
/// For kernels: leaves a failure unless one is there already. `operation` must be a host literal.
__device__ inline void report_failure(Failure* record, const char* operation, int ordinal,
                                      long long index, long long low, long long high) {
  if (atomicCAS(&record->state, 0, 1) != 0) return;
  record->operation = operation;
  record->ordinal = ordinal;
  record->index = index;
  record->low = low;
  record->high = high;
  __threadfence_system();
  atomicExch(&record->state, 2);
}
#endif

}  // namespace weft::cuda
