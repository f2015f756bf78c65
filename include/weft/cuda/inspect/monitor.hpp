// Monitor: a GPU's memory and utilization over a stretch of the program, sampled by a thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "weft/cuda/inspect/utilization.hpp"

namespace weft::on_cuda {

/// What a Monitor has seen, over all processes that use the GPU; unknown figures are -1.
struct MonitorReport {
  bool available = false;     ///< false where there is no NVML
  int samples = 0;            ///< taken so far
  double gpu = -1;            ///< mean percent of time in which a kernel ran
  double memory_bus = -1;     ///< mean percent of time in which memory was read or written
  int64_t memory_peak = -1;   ///< most bytes used at any sample
  int64_t memory_total = -1;  ///< bytes
  double watts = -1;          ///< mean power drawn
  int temperature = -1;       ///< highest, in degrees Celsius
};

/// Samples utilization(device) every `interval` seconds, from its construction to its destruction,
/// and at each report(): `weft::cuda::Monitor monitor; train();
/// print(monitor.report().memory_peak)`. Peaks between two samples are missed; weft's own are in
/// max_memory_allocated().
class Monitor {
 public:
  explicit Monitor(Cuda device = {}, double interval = 0.1) : device_(Cuda{resolve(device)}) {
    if (!(interval > 0)) {
      fail<ValueError>("Monitor", "an interval of ", interval, " s, expected more than 0");
    }
    sample();
    thread_ = std::thread([this, interval] { watch(interval); });
  }
  ~Monitor() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// What was seen so far and now.
  MonitorReport report() {
    sample();
    const std::lock_guard lock(mutex_);
    MonitorReport out = seen_;
    if (counted_ > 0) {
      out.gpu = gpu_ / counted_;
      out.memory_bus = bus_ / counted_;
    }
    if (powered_ > 0) out.watts = watts_ / powered_;
    return out;
  }

 private:
  void watch(double interval) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::duration<double>(interval),
                              [this] { return stopped_; })) {
      lock.unlock();
      try {
        sample();
      } catch (const std::exception&) {  // CUDA has failed: the program's own next call says how
        return;
      }
      lock.lock();
    }
  }

  void sample() {
    const Utilization now = utilization(device_);
    const std::lock_guard lock(mutex_);
    ++seen_.samples;
    seen_.available = now.available;
    seen_.memory_total = now.memory_total;
    seen_.memory_peak = std::max(seen_.memory_peak, now.memory_used);
    seen_.temperature = std::max(seen_.temperature, now.temperature);
    if (now.gpu >= 0) {
      gpu_ += now.gpu;
      bus_ += now.memory_bus;
      ++counted_;
    }
    if (now.watts >= 0) {
      watts_ += now.watts;
      ++powered_;
    }
  }

  const Cuda device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  MonitorReport seen_;
  double gpu_ = 0, bus_ = 0, watts_ = 0;
  int counted_ = 0, powered_ = 0;
  std::thread thread_;
};

}  // namespace weft::on_cuda
