// Event: a mark in a stream that can be waited for and, on request, measures time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/device.hpp"
#include "weft/cuda/runtime/capture.hpp"
#include "weft/cuda/runtime/mutex.hpp"

namespace weft::on_cuda {

class Stream;

namespace detail {
/// Events without timing, kept for reuse: a wait refers to the record before it, not to later ones.
struct EventPool {
  static constexpr int capacity = 64;
  Mutex mutex;
  int count = 0;
  cudaEvent_t events[capacity] = {};
};
[[gnu::visibility("default")]] inline EventPool event_pools[max_devices];

WEFT_ONCE inline cudaEvent_t new_event(int ordinal, unsigned flags) {
  const DeviceGuard guard(Cuda{ordinal});
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "event");
  return event;
}

WEFT_OUTLINED inline cudaEvent_t take_event(int ordinal) {
  EventPool& pool = event_pools[ordinal];
  {
    const Lock lock(pool.mutex);
    if (pool.count > 0) return pool.events[--pool.count];
  }
  return new_event(ordinal, cudaEventDisableTiming);
}

WEFT_OUTLINED inline void put_event(int ordinal, cudaEvent_t event) noexcept {
  if (leaving()) return;
  EventPool& pool = event_pools[ordinal];
  {
    const Lock lock(pool.mutex);
    if (pool.count < EventPool::capacity) {
      pool.events[pool.count++] = event;
      return;
    }
  }
  quiet(cudaEventDestroy(event));
}

/// An event of the pool for the length of a scope.
class PooledEvent {
 public:
  explicit PooledEvent(int ordinal) : ordinal_(ordinal), event_(take_event(ordinal)) {}
  ~PooledEvent() { put_event(ordinal_, event_); }
  PooledEvent(const PooledEvent&) = delete;
  PooledEvent& operator=(const PooledEvent&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  int ordinal_;
  cudaEvent_t event_;
};
}  // namespace detail

/// A mark that is recorded into a stream. It is made at its first record, on the stream's GPU.
class Event {
 public:
  /// With `timing`, two recorded events measure the time between them.
  explicit Event(bool timing = false) : timing_(timing) {}
  Event(Event&& other) noexcept
      : handle_(other.handle_), ordinal_(other.ordinal_), timing_(other.timing_) {
    other.handle_ = nullptr;
  }
  Event& operator=(Event&& other) noexcept {
    Event mine(static_cast<Event&&>(*this));
    handle_ = other.handle_;
    ordinal_ = other.ordinal_;
    timing_ = other.timing_;
    other.handle_ = nullptr;
    return *this;
  }
  ~Event() { drop(); }

  /// CUDA's handle; null before the first record.
  cudaEvent_t handle() const { return handle_; }

  /// Marks the work given to the stream so far; without a stream, to the current one.
  void record(const Stream& stream);
  void record();

  /// Blocks the calling thread until the work before the mark is done.
  void synchronize() const {
    if (handle_ != nullptr) check(cudaEventSynchronize(handle_), "Event::synchronize");
  }

  /// True when the work before the mark is done.
  bool query() const {
    if (handle_ == nullptr) return true;
    const cudaError_t status = cudaEventQuery(handle_);
    if (status == cudaErrorNotReady) return detail::quiet(status);
    check(status, "Event::query");
    return true;
  }

  /// The time from `start` to this event, both recorded with timing and done.
  double milliseconds_since(const Event& start) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "Event::milliseconds_since",
          "both events must have timing, be recorded and be done");
    return milliseconds;
  }

 private:
  void drop() noexcept {
    if (handle_ == nullptr || detail::leaving()) return;
    if (timing_) {
      detail::quiet(cudaEventDestroy(handle_));
    } else {
      detail::put_event(ordinal_, handle_);
    }
    handle_ = nullptr;
  }

  cudaEvent_t handle_ = nullptr;
  int ordinal_ = 0;
  bool timing_;
};

}  // namespace weft::on_cuda
