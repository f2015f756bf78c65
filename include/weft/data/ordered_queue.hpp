// OrderedQueue: values computed ahead by threads and taken in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/cpu/parallel.hpp"

namespace weft::data {

/// make(first) to make(last - 1), in this order whatever the number of threads. What make throws is
/// thrown by next() in its turn, and ends the values. Without threads next() itself calls make. The
/// destructor waits for the calls that run, and no further one is made.
template <class Value>
class OrderedQueue {
 public:
  using Make = std::function<Value(std::int64_t)>;

  /// At most `ahead` values wait to be taken or are being made.
  OrderedQueue(std::int64_t first, std::int64_t last, int threads, int ahead, Make make)
      : make_(std::move(make)), to_make_(first), to_take_(first), last_(last) {
    if (threads == 0) return;
    slots_.resize(static_cast<std::size_t>(ahead));
    try {
      for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      stop();
      fail("DataLoader", "a thread could not be started: ", error.what());
    }
  }
  ~OrderedQueue() { stop(); }
  OrderedQueue(const OrderedQueue&) = delete;
  OrderedQueue& operator=(const OrderedQueue&) = delete;

  /// The next value; none after the last.
  std::optional<Value> next() {
    if (slots_.empty()) {
      if (to_take_ >= last_) return std::nullopt;
      try {
        return make_(to_take_++);
      } catch (...) {
        last_ = to_take_;
        throw;
      }
    }
    std::unique_lock lock(mutex_);
    if (to_take_ >= last_) return std::nullopt;
    Slot& slot = slot_of(to_take_);
    made_.wait(lock, [&] { return slot.ready; });
    Slot taken = std::exchange(slot, {});
    ++to_take_;
    lock.unlock();
    wanted_.notify_one();
    if (taken.error) std::rethrow_exception(taken.error);
    return std::move(taken.value);
  }

 private:
  struct Slot {
    std::optional<Value> value;
    std::exception_ptr error;
    bool ready = false;
  };

  Slot& slot_of(std::int64_t i) { return slots_[static_cast<std::size_t>(i) % slots_.size()]; }

  void work() {
    const cpu::SingleThreaded here;  // the threads of this queue share the cores already
    std::unique_lock lock(mutex_);
    while (true) {
      wanted_.wait(lock, [this] {
        return stopped_ || to_make_ >= last_ ||
               to_make_ < to_take_ + static_cast<std::int64_t>(slots_.size());
      });
      if (stopped_ || to_make_ >= last_) return;
      const std::int64_t i = to_make_++;
      lock.unlock();
      Slot made;
      try {
        made.value = make_(i);
      } catch (...) {
        made.error = std::current_exception();
      }
      made.ready = true;
      lock.lock();
      if (made.error && i + 1 < last_) {
        last_ = i + 1;
        wanted_.notify_all();
      }
      slot_of(i) = std::move(made);
      made_.notify_one();
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    wanted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  Make make_;
  std::mutex mutex_;
  std::condition_variable wanted_;  // there is a free slot, or nothing more to make
  std::condition_variable made_;
  std::vector<Slot> slots_;  // value i is in slot i modulo their number
  std::int64_t to_make_;
  std::int64_t to_take_;
  std::int64_t last_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weft::data
