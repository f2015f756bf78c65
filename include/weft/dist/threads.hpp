// for_each_device and map_tasks: work for the devices of one process, one thread each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

#include "weft/autograd/mode.hpp"
#include "weft/core/device.hpp"
#include "weft/core/error.hpp"

namespace weft::dist {

/// While it lives the calling thread works on a device; for CUDA in dist/cuda.hpp. Its all() lists
/// the available devices.
template <class D>
struct DeviceScope;
template <>
struct DeviceScope<Cpu> {
  explicit DeviceScope(Cpu) {}
  static std::vector<Cpu> all() { return {Cpu{}}; }
};

/// All GPUs that the process may use, or the one Cpu.
template <class D>
std::vector<D> all_devices() {
  constexpr bool there = requires { sizeof(DeviceScope<D>); };
  static_assert(there, "weft: threads for Cuda need <weft/dist/cuda.hpp>: include it");
  if constexpr (there) return DeviceScope<D>::all();
  return {};
}

/// Calls f(i, devices[i]) for all i concurrently, each in its own thread on that device, the first
/// one in the calling thread; returns when all are done and rethrows the first exception.
/// Statements are recorded if they are in the calling thread.
template <class D, class F>
void for_each_device(const std::vector<D>& devices, const F& f) {
  constexpr bool there = requires { sizeof(DeviceScope<D>); };
  static_assert(there, "weft: threads for Cuda need <weft/dist/cuda.hpp>: include it");
  std::vector<std::exception_ptr> failures(devices.size());
  const bool records = is_grad_enabled();
  const auto one = [&](std::size_t i) {
    try {
      if constexpr (there) {
        const DeviceScope<D> scope(devices[i]);
        std::optional<NoGrad> none;
        if (!records) none.emplace();
        f(i, devices[i]);
      }
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < devices.size(); ++i) threads.emplace_back(one, i);
  if (!devices.empty()) one(0);
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// The results of f(task, device) for the tasks 0 to count - 1, as a vector in that order. Each
/// device takes the next task when it is free: trainings with different options, members of an
/// ensemble. After a task throws, no further ones start.
template <class D, class F>
auto map_tasks(const std::vector<D>& devices, int count, const F& f) {
  using Result = std::decay_t<decltype(f(0, devices[0]))>;
  if (devices.empty()) fail<ValueError>("map_tasks", "no devices, expected at least 1");
  std::vector<std::optional<Result>> found(static_cast<std::size_t>(count));
  std::atomic<int> next = 0;
  for_each_device(devices, [&](std::size_t, D device) {
    try {
      for (int task = next++; task < count; task = next++) {
        found[static_cast<std::size_t>(task)].emplace(f(task, device));
      }
    } catch (...) {
      next = count;
      throw;
    }
  });
  std::vector<Result> out;
  for (auto& result : found) out.push_back(std::move(*result));
  return out;
}

}  // namespace weft::dist
