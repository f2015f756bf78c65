// ThreadPool: threads that share a loop without ever waiting for a late one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstdint>
#include <exception>

#include "weft/cpu/threads/wait.hpp"

// A program linked without a thread library runs its loops on one thread.
#pragma weak pthread_create

namespace weft::cpu {

/// Work that threads share: `run(context, first, last)` for each piece of [0, items).
struct SharedWork {
  void (*run)(const void* context, std::int64_t first, std::int64_t last);
  const void* context;
  std::int64_t items;
  int pieces;
  int threads;  // the calling one included
};

/// Threads that wait for work, spinning for a few microseconds if that has paid off before, then
/// asleep. Each starts with pieces of its own, then takes over pieces that others have not begun.
/// So does the thread that brings the work; it waits only for pieces that are being run. So on a
/// machine busy with other programs the work loses only the cores that they use: others take over
/// the pieces of a thread that does not get to run.
class ThreadPool {
 public:
  static constexpr int max_threads = 256;
  static constexpr int max_pieces = 1024;

  /// Runs `work` with the help of the pool's threads, which are started as needed, then rethrows
  /// what a piece threw, in which case others may not have run. Returns false, having done nothing,
  /// if all slots are taken: by other threads of the program, or by a worker that still looks at a
  /// job that is done.
  bool run(const SharedWork& work);

  /// The process's pool. It is never destroyed; its threads end with the process.
  static ThreadPool& instance();
  /// Whether the calling thread runs a piece of shared work.
  static bool is_inside() { return thread_is_inside; }
  /// Whether the calling thread is one of a pool's.
  static bool is_worker() { return thread_is_worker; }

 private:
  static constexpr int slots = 8;
  static constexpr int filling = -(1 << 20);

  struct alignas(64) Job {
    int users = 0;  // threads that look at the job; negative while it is filled
    std::uint32_t ticket = 0;
    std::uint32_t left = 0;  // pieces not done
    int helpers = 0;
    int waits = 0;  // 1 while the thread that brought the work sleeps
    int failed = 0;
    std::exception_ptr* error = nullptr;
    SharedWork work{};
    unsigned char taken[max_pieces] = {};
  };
  struct Worker {
    ThreadPool* pool;
    int index;
  };

  Job* take_slot();
  void publish(Job& job);
  void start_threads(int count);
  static void* work_for(void* worker);
  void take_pieces(Job& job, int index);
  static void run_piece(Job& job, int k);
  void wake_some(const Job& job);
  void forget_threads();

  static inline constinit thread_local bool thread_is_inside = false;
  static inline constinit thread_local bool thread_is_worker = false;

  alignas(64) std::uint32_t current_ = 0;  // a count of jobs, times slots, plus the slot
  int asleep_ = 0;
  alignas(64) int threads_ = 0;
  int starting_ = 0;
  Worker workers_[max_threads] = {};
  Job jobs_[slots] = {};
};

namespace detail {
[[gnu::visibility("default")]] inline constinit ThreadPool thread_pool;
}
inline ThreadPool& ThreadPool::instance() { return detail::thread_pool; }

[[gnu::noinline]] inline bool ThreadPool::run(const SharedWork& work) {
  Job* const job = take_slot();
  if (job == nullptr) return false;
  std::exception_ptr error;
  job->work = work;
  job->left = static_cast<std::uint32_t>(work.pieces);
  job->helpers = 0;
  job->waits = 0;
  job->failed = 0;
  job->error = &error;
  for (int i = 0; i < work.pieces; ++i) job->taken[i] = 0;
  if (__atomic_load_n(&threads_, __ATOMIC_ACQUIRE) < work.threads - 1) {
    start_threads(work.threads - 1);
  }
  publish(*job);
  take_pieces(*job, 0);
  Patience patience;
  std::uint32_t left = __atomic_load_n(&job->left, __ATOMIC_ACQUIRE);
  while (left != 0) left = patience.wait_while(&job->left, left, &job->waits);
  __atomic_fetch_sub(&job->users, 1, __ATOMIC_RELEASE);
  if (error) std::rethrow_exception(error);
  return true;
}

inline ThreadPool::Job* ThreadPool::take_slot() {
  for (Job& job : jobs_) {
    int none = 0;
    if (__atomic_compare_exchange_n(&job.users, &none, filling, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      return &job;
    }
  }
  return nullptr;
}

/// Makes a job the current one, which threads look for, and wakes some of those that sleep.
inline void ThreadPool::publish(Job& job) {
  const auto slot = static_cast<std::uint32_t>(&job - jobs_);
  std::uint32_t before = __atomic_load_n(&current_, __ATOMIC_RELAXED);
  std::uint32_t ticket = (before / slots + 1) * slots + slot;
  __atomic_store_n(&job.ticket, ticket, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&job.users, filling - 1, __ATOMIC_RELEASE);  // filled; this thread is a user
  while (!__atomic_compare_exchange_n(&current_, &before, ticket, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
    ticket = (before / slots + 1) * slots + slot;
    __atomic_store_n(&job.ticket, ticket, __ATOMIC_RELAXED);
  }
  wake_some(job);
}

/// Wakes a few threads, each of which wakes a few more: a call costs a microsecond for each thread
/// that it wakes.
inline void ThreadPool::wake_some(const Job& job) {
  if (__atomic_load_n(&asleep_, __ATOMIC_SEQ_CST) <= 0) return;
  const int missing = job.work.threads - 1 - __atomic_load_n(&job.helpers, __ATOMIC_RELAXED);
  if (missing > 0) wake(&current_, missing < 2 ? missing : 2);
}

/// Starts threads until there are `count`, as far as the system allows.
WEFT_ONCE inline void ThreadPool::start_threads(int count) {
  if (count > max_threads) count = max_threads;
  int idle = 0;
  if (pthread_create == nullptr ||
      !__atomic_compare_exchange_n(&starting_, &idle, 1, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED)) {
    return;
  }
  if (threads_ == 0) pthread_atfork(nullptr, nullptr, [] { instance().forget_threads(); });
  // Leaves signals to the program's own threads: 2 is SIG_SETMASK, for a mask of 8 bytes.
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, 2, &all, &before, sizeof(all));
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  while (threads_ < count) {
    workers_[threads_] = {this, threads_ + 1};
    pthread_t thread;
    if (pthread_create(&thread, &detached, work_for, &workers_[threads_]) != 0) break;
    __atomic_fetch_add(&threads_, 1, __ATOMIC_RELEASE);
  }
  pthread_attr_destroy(&detached);
  syscall(SYS_rt_sigprocmask, 2, &before, nullptr, sizeof(before));
  __atomic_store_n(&starting_, 0, __ATOMIC_RELEASE);
}

inline void* ThreadPool::work_for(void* worker) {
  const auto [pool, index] = *static_cast<Worker*>(worker);
  thread_is_worker = true;
  std::uint32_t seen = 0;
  Patience patience;
  for (;;) {
    seen = patience.wait_while(&pool->current_, seen, &pool->asleep_);
    Job& job = pool->jobs_[seen % slots];
    if (__atomic_fetch_add(&job.users, 1, __ATOMIC_ACQUIRE) >= 0 &&
        __atomic_load_n(&job.ticket, __ATOMIC_RELAXED) == seen &&
        __atomic_load_n(&job.left, __ATOMIC_RELAXED) != 0 &&
        __atomic_fetch_add(&job.helpers, 1, __ATOMIC_RELAXED) < job.work.threads - 1) {
      pool->wake_some(job);
      pool->take_pieces(job, index % job.work.threads);
    }
    __atomic_fetch_sub(&job.users, 1, __ATOMIC_RELEASE);
  }
  return nullptr;
}

/// Runs pieces that nobody has begun, starting with thread `index`'s own.
inline void ThreadPool::take_pieces(Job& job, int index) {
  thread_is_inside = true;
  const SharedWork& work = job.work;
  const int start = static_cast<int>(std::int64_t{index} * work.pieces / work.threads);
  for (int i = 0; i < work.pieces; ++i) {
    if (__atomic_load_n(&job.left, __ATOMIC_RELAXED) == 0) break;
    const int k = start + i < work.pieces ? start + i : start + i - work.pieces;
    if (__atomic_load_n(&job.taken[k], __ATOMIC_RELAXED) != 0 ||
        __atomic_exchange_n(&job.taken[k], 1, __ATOMIC_ACQUIRE) != 0) {
      continue;
    }
    run_piece(job, k);
    if (__atomic_sub_fetch(&job.left, 1, __ATOMIC_SEQ_CST) == 0 &&
        __atomic_load_n(&job.waits, __ATOMIC_SEQ_CST) != 0) {
      wake(&job.left, 1);
    }
  }
  thread_is_inside = false;
}

inline void ThreadPool::run_piece(Job& job, int k) {
  if (__atomic_load_n(&job.failed, __ATOMIC_RELAXED) != 0) return;
  const SharedWork& work = job.work;
  const std::int64_t each = work.items / work.pieces;
  const std::int64_t rest = work.items % work.pieces;
  const std::int64_t first = k * each + (k < rest ? k : rest);
  try {
    work.run(work.context, first, first + each + (k < rest ? 1 : 0));
  } catch (...) {
    if (__atomic_exchange_n(&job.failed, 1, __ATOMIC_RELAXED) == 0) {
      *job.error = std::current_exception();
    }
  }
}

/// In a child of fork() there are no threads but the one that forked.
inline void ThreadPool::forget_threads() {
  threads_ = 0;
  starting_ = 0;
  asleep_ = 0;
  for (Job& job : jobs_) job.users = 0;
  current_ = 0;
}

}  // namespace weft::cpu
