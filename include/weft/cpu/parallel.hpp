// Splitting CPU work over threads, where the work is worth it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/failure.hpp"
#include "weft/core/shape.hpp"
#include "weft/cpu/threads/count.hpp"
#include "weft/cpu/threads/pool.hpp"

namespace weft {

namespace cpu::detail {
/// 0: default_threads().
[[gnu::visibility("default")]] inline constinit int threads_set = 0;
[[gnu::visibility("default")]] inline constinit int threads_found = 0;
/// Whether this thread's loops stay on it.
[[gnu::visibility("default")]] inline constinit thread_local bool single_threaded = false;

/// OpenMP's test for being in a parallel region, in programs that link its runtime.
extern "C" int weft_omp_in_parallel() __asm__("omp_in_parallel") __attribute__((weak));

WEFT_ONCE inline int default_threads() {
  const int found = threads_of_environment();
  const int threads = found < ThreadPool::max_threads ? found : ThreadPool::max_threads;
  __atomic_store_n(&threads_found, threads, __ATOMIC_RELAXED);
  return threads;
}
}  // namespace cpu::detail

/// The number of threads that share large work on the CPU: what was set, else WEFT_NUM_THREADS,
/// else OMP_NUM_THREADS, else the number of cores that the process may use; at most 256. Results do
/// not depend on it.
inline int num_threads() {
  const int set = __atomic_load_n(&cpu::detail::threads_set, __ATOMIC_RELAXED);
  if (set > 0) return set;
  const int found = __atomic_load_n(&cpu::detail::threads_found, __ATOMIC_RELAXED);
  return found > 0 ? found : cpu::detail::default_threads();
}
/// Sets that number for the whole process; 0 restores the default. Throws ValueError below 0 and
/// above 256. Inside an OpenMP parallel region work is never shared.
inline void set_num_threads(int threads) {
  if (threads < 0 || threads > cpu::ThreadPool::max_threads) {
    fail<ValueError>("set_num_threads", threads, ", expected at least 0",
                     threads > 0 ? " and at most 256" : "");
  }
  __atomic_store_n(&cpu::detail::threads_set, threads, __ATOMIC_RELAXED);
}

namespace cpu {

/// Work over fewer elements than this runs on the calling thread.
inline constexpr int64_t parallel_threshold = 1 << 15;
/// No thread is woken for fewer elements than this.
inline constexpr int64_t elements_a_thread = 1 << 13;

namespace detail {
[[gnu::visibility("default")]] inline constinit thread_local Failure failure_record;
}

/// The flag for failures in loops that this thread will start, cleared.
[[gnu::noinline]] inline Failure* failure_flag() {
  detail::failure_record.state = 0;
  return &detail::failure_record;
}

/// Throws IndexError if one of this thread's loops has reported a failure since the last call.
inline void check_failures() {
  Failure& record = detail::failure_record;
  if (__atomic_load_n(&record.state, __ATOMIC_ACQUIRE) != 2) return;
  record.state = 0;
  weft::detail::throw_failure(record);
}

/// While it lives, loops that this thread starts run on it alone: for programs whose own threads
/// already share the cores.
class SingleThreaded {
 public:
  SingleThreaded() : before_(detail::single_threaded) { detail::single_threaded = true; }
  ~SingleThreaded() { detail::single_threaded = before_; }
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;

 private:
  bool before_;
};

/// Whether loops that this thread starts may be shared by others.
inline bool may_share() {
  if (detail::weft_omp_in_parallel != nullptr && detail::weft_omp_in_parallel() != 0) return false;
  return !detail::single_threaded && !ThreadPool::is_inside();
}

/// How many threads should share `items` pieces of work over `elements`; called by the thread that
/// will start them.
[[gnu::noinline]] inline int threads_for(int64_t items, int64_t elements) {
  if (elements < parallel_threshold || items < 2 || !may_share()) return 1;
  int64_t most = num_threads();
  if (most > elements / elements_a_thread) most = elements / elements_a_thread;
  return static_cast<int>(items < most ? items : most);
}

namespace detail {
/// If pieces are long, having more of them than threads balances cores that are unequally busy.
inline constexpr int64_t elements_a_piece = 1 << 17;

using Work = void(const void* context, int64_t first, int64_t last);

[[gnu::noinline]] inline void share_large(int64_t items, int64_t elements, Work* work,
                                          const void* context) {
  const int threads = threads_for(items, elements);
  int64_t pieces = elements / elements_a_piece;
  if (pieces > 4 * threads) pieces = 4 * threads;
  if (pieces < threads) pieces = threads;
  if (pieces > items) pieces = items;
  if (threads == 1 ||
      !ThreadPool::instance().run({work, context, items, static_cast<int>(pieces), threads})) {
    work(context, 0, items);
  }
}

/// work(context, first, last) for contiguous pieces of [0, items): compiled once, so that a loop
/// costs one function more than its own.
[[gnu::noinline]] inline void share(int64_t items, int64_t elements, Work* work,
                                    const void* context) {
  if (elements < parallel_threshold) {
    work(context, 0, items);
  } else {
    share_large(items, elements, work, context);
  }
  check_failures();
}
}  // namespace detail

/// Calls f(first, last) for contiguous pieces of [0, items), shared by threads, then throws
/// whatever f threw or reported. `elements` is the size of the whole work. Nested calls, and calls
/// inside an OpenMP parallel region, run on the calling thread.
template <class F>
void parallel(int64_t items, int64_t elements, const F& f) {
  detail::share(
      items, elements,
      [](const void* context, int64_t first, int64_t last) {
        (*static_cast<const F*>(context))(first, last);
      },
      &f);
}

}  // namespace cpu
}  // namespace weft
