// Failures that loops and kernels find: a record of the first one, thrown when they have finished.
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
      nullptr;             ///< a literal: what matrix number `index` is, at pivot `low` if not -1
  bool is_number = false;  ///< `number` was found, and expected from `low` to `high`
  double number = 0;
};

/// Records a failure unless one is recorded already. `operation` and `fact` must be literals of the
/// host's. With a `number`, that is what was found, and the index is ignored.
WEFT_HD inline void report_failure(Failure* record, const char* operation, int ordinal,
                                   long long index, long long low, long long high,
                                   bool labels = false, const char* fact = nullptr,
                                   const double* number = nullptr) {
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
  record->is_number = number != nullptr;
  if (number != nullptr) record->number = *number;
#if defined(__CUDA_ARCH__)
  __threadfence_system();
  atomicExch(&record->state, 2);
#else
  __atomic_store_n(&record->state, 2, __ATOMIC_RELEASE);
#endif
}

namespace detail {
[[noreturn]] WEFT_ONCE inline void throw_failure(const Failure& failure) {
  const bool somewhere = failure.ordinal >= 0;
  const bool labels = failure.labels;
  const bool some = labels || failure.high >= failure.low;
  const long long classes = failure.high + 1;
  const Part nothing = "";
  const auto number = [&](bool wanted, const auto& x) { return wanted ? Part(x) : nothing; };
  const Part at = somewhere ? " on cuda:" : "";
  const Part ordinal = number(somewhere, failure.ordinal);
  if (failure.is_number) {
    fail<ValueError>(failure.operation, "an element is ", failure.number, at, ordinal,
                     ", expected ", failure.low, " to ", failure.high);
  }
  if (failure.fact != nullptr) {
    const bool pivot = failure.low >= 0;
    fail<ValueError>(failure.operation, "matrix ", failure.index, " of the batch", at, ordinal, " ",
                     failure.fact, pivot ? ": pivot " : "", number(pivot, failure.low));
  }
  fail<IndexError>(failure.operation, labels ? "label " : "index ", failure.index,
                   labels ? "" : " is out of range", at, ordinal, labels ? " for " : "",
                   number(labels, classes), labels ? " classes" : "",
                   some ? ", expected " : ", there are no elements", number(some, failure.low),
                   some ? " to " : "", number(some, failure.high));
}
}  // namespace detail

}  // namespace weft
