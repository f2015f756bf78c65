// BLAS on one thread, so that weft's threads can share a product.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include "weft/core/dtype.hpp"
#include "weft/cpu/threads/pool.hpp"

namespace weft::cpu {

/// How to set a BLAS's number of threads; if unknown, it gets products whole.
enum class BlasThreads { unasked, unknown, none, openmp, openblas, mkl, blis };

namespace detail {

// The libraries' functions, null if not linked, under weft's names so that they do not clash with a
// program's own declarations.
extern "C" {
int weft_openblas_get_parallel() __asm__("openblas_get_parallel") __attribute__((weak));
int weft_openblas_get_threads() __asm__("openblas_get_num_threads") __attribute__((weak));
void weft_openblas_set_threads(int) __asm__("openblas_set_num_threads") __attribute__((weak));
int weft_omp_get_threads() __asm__("omp_get_max_threads") __attribute__((weak));
void weft_omp_set_threads(int) __asm__("omp_set_num_threads") __attribute__((weak));
int weft_mkl_set_threads(int) __asm__("MKL_Set_Num_Threads_Local") __attribute__((weak));
long weft_blis_get_threads() __asm__("bli_thread_get_num_threads") __attribute__((weak));
void weft_blis_set_threads(long) __asm__("bli_thread_set_num_threads") __attribute__((weak));
}

inline BlasThreads find_blas_threads() {
  if (weft_mkl_set_threads != nullptr) return BlasThreads::mkl;
  if (weft_openblas_get_parallel != nullptr) {
    switch (weft_openblas_get_parallel()) {
      case 0:
        return BlasThreads::none;
      case 1:
        if (weft_openblas_set_threads == nullptr || weft_openblas_get_threads == nullptr) break;
        return BlasThreads::openblas;
      case 2:
        if (weft_omp_set_threads == nullptr || weft_omp_get_threads == nullptr) break;
        return BlasThreads::openmp;
    }
    return BlasThreads::unknown;
  }
  const bool blis = weft_blis_get_threads != nullptr && weft_blis_set_threads != nullptr;
  return blis ? BlasThreads::blis : BlasThreads::unknown;
}

/// A BlasThreads; clang's atomic functions take integers.
[[gnu::visibility("default")]] inline constinit int blas_threads_found = 0;

/// OpenBLAS with its own threads, and BLIS, have one setting per process: the first product to
/// begin changes it, the last to end restores it.
struct BlasSetting {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int users = 0;
  long before = 1;
};
[[gnu::visibility("default")]] inline constinit BlasSetting blas_setting;

}  // namespace detail

/// The kind of the BLAS that is linked.
inline BlasThreads blas_threads() {
  const int found = __atomic_load_n(&detail::blas_threads_found, __ATOMIC_RELAXED);
  if (found != 0) return static_cast<BlasThreads>(found);
  const BlasThreads threads = detail::find_blas_threads();
  __atomic_store_n(&detail::blas_threads_found, static_cast<int>(threads), __ATOMIC_RELAXED);
  return threads;
}

/// While it lives, BLAS, and LAPACK through it, runs on the calling thread only, if that is
/// possible and wanted. Threads of the pool stay that way.
class SingleThreadedBlas {
 public:
  explicit SingleThreadedBlas(bool wanted = true)
      : kind_(wanted ? blas_threads() : BlasThreads::none) {
    begin();
  }
  ~SingleThreadedBlas() { end(); }
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  [[gnu::noinline]] void begin() {
    if (kind_ == BlasThreads::openmp) {
      before_ = detail::weft_omp_get_threads();
      if (before_ != 1) detail::weft_omp_set_threads(1);
    } else if (kind_ == BlasThreads::mkl) {
      before_ = detail::weft_mkl_set_threads(1);
    } else if (is_global()) {
      detail::BlasSetting& setting = detail::blas_setting;
      pthread_mutex_lock(&setting.mutex);
      if (setting.users++ == 0) {
        setting.before = kind_ == BlasThreads::blis ? detail::weft_blis_get_threads()
                                                    : detail::weft_openblas_get_threads();
        if (setting.before > 1) set_global(1);
      } else if (setting.before > 1 && kind_ == BlasThreads::blis) {
        set_global(1);  // newer ones have a setting per thread
      }
      pthread_mutex_unlock(&setting.mutex);
    }
  }
  [[gnu::noinline]] void end() {
    if (kind_ == BlasThreads::openmp) {
      if (before_ != 1 && !ThreadPool::is_worker()) detail::weft_omp_set_threads(before_);
    } else if (kind_ == BlasThreads::mkl) {
      if (!ThreadPool::is_worker()) detail::weft_mkl_set_threads(before_);
    } else if (is_global()) {
      detail::BlasSetting& setting = detail::blas_setting;
      pthread_mutex_lock(&setting.mutex);
      if (--setting.users == 0 && setting.before > 1) set_global(setting.before);
      pthread_mutex_unlock(&setting.mutex);
    }
  }
  bool is_global() const { return kind_ == BlasThreads::openblas || kind_ == BlasThreads::blis; }
  void set_global(long threads) const {
    if (kind_ == BlasThreads::blis) {
      detail::weft_blis_set_threads(threads);
    } else {
      detail::weft_openblas_set_threads(static_cast<int>(threads));
    }
  }

  BlasThreads kind_;
  int before_ = 1;
};

/// While it lives, libraries that use OpenMP run this many threads for the calling thread; 0
/// changes nothing.
class OpenMpTeam {
 public:
  explicit OpenMpTeam(int threads) {
    if (threads == 0 || detail::weft_omp_set_threads == nullptr ||
        detail::weft_omp_get_threads == nullptr) {
      return;
    }
    const int now = detail::weft_omp_get_threads();
    if (now == threads) return;
    before_ = now;
    detail::weft_omp_set_threads(threads);
  }
  ~OpenMpTeam() {
    if (before_ != 0 && !ThreadPool::is_worker()) detail::weft_omp_set_threads(before_);
  }
  OpenMpTeam(const OpenMpTeam&) = delete;
  OpenMpTeam& operator=(const OpenMpTeam&) = delete;

 private:
  int before_ = 0;
};

}  // namespace weft::cpu
