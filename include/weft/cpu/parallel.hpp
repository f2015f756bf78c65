// Splitting CPU work over OpenMP's threads, where OpenMP is on and the work is worth it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/failure.hpp"
#include "weft/core/shape.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace weft {

namespace cpu::detail {
/// 0: the number that OpenMP would use.
[[gnu::visibility("default")]] inline constinit int threads_set = 0;
}  // namespace cpu::detail

/// The threads that large work on the CPU is shared by; 1 without OpenMP. Results do not depend on
/// it.
inline int num_threads() {
#if defined(_OPENMP)
  const int set = __atomic_load_n(&cpu::detail::threads_set, __ATOMIC_RELAXED);
  return set > 0 ? set : omp_get_max_threads();
#else
  return 1;
#endif
}
/// Sets it for the whole process; 0: the number that OpenMP would use, one a core unless told
/// otherwise (OMP_NUM_THREADS). Throws ValueError below 0. Inside of a parallel region of the
/// user's work is not shared, whatever is set.
inline void set_num_threads(int threads) {
  if (threads < 0) fail<ValueError>("set_num_threads", threads, ", expected at least 0");
  __atomic_store_n(&cpu::detail::threads_set, threads, __ATOMIC_RELAXED);
}

namespace cpu {

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

/// How many threads share `items` pieces of work over `elements`; called from the thread that is
/// going to start them.
inline int threads_for([[maybe_unused]] int64_t items, [[maybe_unused]] int64_t elements) {
#if defined(_OPENMP)
  if (elements >= parallel_threshold && items > 1 && omp_in_parallel() == 0) {
    const int64_t most = num_threads();
    return static_cast<int>(items < most ? items : most);
  }
#endif
  return 1;
}

namespace detail {
/// work(context, first, last) for each thread's contiguous piece of [0, items).
[[gnu::noinline]] inline void share(int64_t items, [[maybe_unused]] int threads,
                                    void (*work)(const void*, int64_t, int64_t),
                                    const void* context) {
#if defined(_OPENMP)
#pragma omp parallel num_threads(threads)
  {
    const int64_t count = omp_get_num_threads();
    const int64_t me = omp_get_thread_num();
    const int64_t each = items / count;
    const int64_t rest = items % count;
    const int64_t first = me * each + (me < rest ? me : rest);
    const int64_t last = first + each + (me < rest ? 1 : 0);
    if (first < last) work(context, first, last);
  }
#else
  work(context, 0, items);
#endif
}
}  // namespace detail

/// f(first, last) over [0, items), cut into one contiguous piece a thread; then throws what f has
/// reported. `elements` is the size of the whole work. Inside a user's parallel region it runs on
/// the calling thread.
template <class F>
void parallel(int64_t items, int64_t elements, const F& f) {
  const int threads = threads_for(items, elements);
  if (threads > 1) {
    detail::share(
        items, threads,
        [](const void* context, int64_t first, int64_t last) {
          (*static_cast<const F*>(context))(first, last);
        },
        &f);
  } else {
    f(0, items);
  }
  check_failures();
}

}  // namespace cpu
}  // namespace weft
