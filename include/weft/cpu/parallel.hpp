// Splitting CPU work over OpenMP's threads, where OpenMP is on and the work is worth it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/failure.hpp"
#include "weft/core/shape.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace weft::cpu {

/// Work over fewer elements than this runs on the calling thread.
inline constexpr int64_t parallel_threshold = 1 << 15;

namespace detail {
[[gnu::visibility("default")]] inline constinit thread_local Failure failure_record;
}

/// Where loops that this thread is going to start leave a failure, and none has yet.
[[gnu::noinline]] inline Failure* failure_flag() {
  detail::failure_record.state = 0;
  return &detail::failure_record;
}

/// Throws IndexError if a loop of this thread's has left a failure since the last call.
inline void check_failures() {
  Failure& record = detail::failure_record;
  if (__atomic_load_n(&record.state, __ATOMIC_ACQUIRE) != 2) return;
  record.state = 0;
  weft::detail::throw_failure(record);
}

/// f(first, last) over [0, items), cut into one contiguous piece a thread; then throws what f has
/// reported. `elements` is the size of the whole work. Inside a user's parallel region it runs on
/// the calling thread.
template <class F>
void parallel(int64_t items, [[maybe_unused]] int64_t elements, const F& f) {
#if defined(_OPENMP)
  if (elements >= parallel_threshold && items > 1 && omp_get_max_threads() > 1 &&
      omp_in_parallel() == 0) {
#pragma omp parallel
    {
      const int64_t threads = omp_get_num_threads();
      const int64_t me = omp_get_thread_num();
      const int64_t share = items / threads;
      const int64_t rest = items % threads;
      const int64_t first = me * share + (me < rest ? me : rest);
      const int64_t last = first + share + (me < rest ? 1 : 0);
      if (first < last) f(first, last);
    }
    return check_failures();
  }
#endif
  f(0, items);
  check_failures();
}

}  // namespace weft::cpu
