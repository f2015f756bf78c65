// Failures that loops and kernels find: a record of the first one, thrown when they are over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/error.hpp"

namespace weft {

/// What a loop or a kernel leaves when it meets a bad index, or a matrix that it cannot factorise.
/// It goes on with 0 or NaN in its place.
struct Failure {
  int state = 0;                    ///< 0 none, 1 being written, 2 complete
  int ordinal = -1;                 ///< the GPU it happened on; -1 for the CPU
  const char* operation = nullptr;  ///< a literal of the host's, handed through kernels
  long long index = 0;              ///< the value found
  long long low = 0;                ///< the least and the greatest that were expected
  long long high = 0;
  bool labels = false;  ///< the index is a label, of one of high + 1 classes
  const char* fact =
      nullptr;  ///< a literal: what matrix number `index` is, at pivot `low` if not -1
};

/// Records a failure unless one is recorded already. `operation` and `fact` must be literals of the
/// host's.
WEFT_HD inline void report_failure(Failure* record, const char* operation, int ordinal,
                                   long long index, long long low, long long high,
                                   bool labels = false, const char* fact = nullptr) {
#if defined(__CUDA_ARCH__)
  if (atomicCAS(&record->state, 0, 1) != 0) return;
#else
  int free = 0;
  if (!__atomic_compare_exchange_n(&record->state, &free, 1, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    return;
  }
#endif
  record->operation = operation;
  record->ordinal = ordinal;
  record->index = index;
  record->low = low;
  record->high = high;
  record->labels = labels;
  record->fact = fact;
#if defined(__CUDA_ARCH__)
  __threadfence_system();
  atomicExch(&record->state, 2);
#else
  __atomic_store_n(&record->state, 2, __ATOMIC_RELEASE);
#endif
}

namespace detail {
[[noreturn]] WEFT_ONCE inline void throw_failure(const Failure& failure) {
  const Text where = failure.ordinal < 0 ? Text() : " on cuda:" + text(failure.ordinal);
  if (failure.fact != nullptr) {
    const Text pivot = failure.low < 0 ? Text() : ": pivot " + text(failure.low);
    fail<ValueError>(failure.operation, "matrix ", failure.index, " of the batch", where, " ",
                     failure.fact, pivot);
  }
  if (failure.labels) {
    fail<IndexError>(failure.operation, "label ", failure.index, where, " for ", failure.high + 1,
                     " classes, expected 0 to ", failure.high);
  }
  if (failure.high < failure.low) {
    fail<IndexError>(failure.operation, "index ", failure.index, " is out of range", where,
                     ", there are no elements");
  }
  fail<IndexError>(failure.operation, "index ", failure.index, " is out of range", where,
                   ", expected ", failure.low, " to ", failure.high);
}
}  // namespace detail

}  // namespace weft
