// Mutex and Lock: a pthread mutex that needs no destructor (<mutex> would cost compile time).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include "weft/core/config.hpp"

namespace weft::on_cuda {

/// A mutex that is ready before any constructor runs and usable after every destructor has run.
struct Mutex {
  pthread_mutex_t native = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex for its own lifetime.
class Lock {
 public:
  explicit Lock(Mutex& mutex) noexcept : mutex_(mutex) { pthread_mutex_lock(&mutex_.native); }
  ~Lock() { pthread_mutex_unlock(&mutex_.native); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace weft::on_cuda
