// The available GPUs, the current one, and their properties.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/device.hpp"
#include "weft/core/shape.hpp"
#include "weft/cuda/error.hpp"

namespace weft::on_cuda {

/// The largest number of GPUs that weft uses in one process.
inline constexpr int max_devices = 64;

/// The version of CUDA that this file was compiled with, as 1000 * major + 10 * minor.
constexpr int compiled_version() { return CUDART_VERSION; }

/// The version of the CUDA runtime that the program runs with.
inline int runtime_version() {
  int version = 0;
  detail::quiet(cudaRuntimeGetVersion(&version));
  return version;
}

/// The newest version of CUDA that the driver supports; 0 without a driver.
inline int driver_version() {
  int version = 0;
  detail::quiet(cudaDriverGetVersion(&version));
  return version;
}

namespace detail {
struct Devices {
  int count = 0;
  cudaError_t status = cudaSuccess;
};

/// CUDA itself reads CUDA_VISIBLE_DEVICES once, so asking once is enough.
[[gnu::visibility("default"), gnu::noinline]] inline const Devices& devices() {
  static const Devices found = [] {
    Devices d;
    d.status = cudaGetDeviceCount(&d.count);
    if (!quiet(d.status)) d.count = 0;
    if (d.count > max_devices) d.count = max_devices;
    return d;
  }();
  return found;
}

[[noreturn]] WEFT_ONCE inline void no_such_device(int ordinal) {
  const Devices& d = devices();
  if (d.count == 0) {
    const char* reason = driver_version() == 0     ? "no NVIDIA driver is installed"
                         : d.status == cudaSuccess ? "the driver shows none"
                                                   : cudaGetErrorString(d.status);
    fail<DeviceError>("cuda", "no CUDA device is available: ", reason);
  }
  fail<DeviceError>("cuda", "there is no device cuda:", ordinal, ", expected cuda:0",
                    d.count > 1 ? " to " + text(Cuda{d.count - 1}) : Text());
}
}  // namespace detail

/// The number of GPUs that this process may use; 0 without a driver.
inline int device_count() { return detail::devices().count; }

/// True when there is a GPU that can be used.
inline bool is_available() { return device_count() > 0; }

/// The ordinal of the calling thread's current GPU.
WEFT_OUTLINED inline int current_device() {
  if (!is_available()) detail::no_such_device(0);
  int ordinal = 0;
  if (device_count() > 1) check(cudaGetDevice(&ordinal), "current_device");
  return ordinal;
}

/// The ordinal that `device` means now; throws DeviceError when there is no such GPU.
WEFT_OUTLINED inline int resolve(Cuda device) {
  if (device.ordinal == Cuda::current) return current_device();
  if (device.ordinal < 0 || device.ordinal >= device_count()) {
    detail::no_such_device(device.ordinal);
  }
  return device.ordinal;
}

/// Makes `device` the calling thread's current GPU.
WEFT_OUTLINED inline void set_device(Cuda device) {
  const int wanted = resolve(device);
  if (wanted != current_device()) check(cudaSetDevice(wanted), "set_device");
}
inline void set_device(int ordinal) { set_device(Cuda{ordinal}); }

/// Makes a GPU the thread's current one until the end of the scope.
class DeviceGuard {
 public:
  [[gnu::noinline]] explicit DeviceGuard(Cuda device) : previous_(current_device()) {
    const int wanted = device.ordinal == Cuda::current ? previous_ : resolve(device);
    if (wanted != previous_) check(cudaSetDevice(wanted), "set_device");
  }
  [[gnu::noinline]] ~DeviceGuard() {
    int now = previous_;
    if (device_count() > 1 && detail::quiet(cudaGetDevice(&now)) && now != previous_) {
      detail::quiet(cudaSetDevice(previous_));
    }
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_;
};

/// The properties of a GPU; 0 for those that the driver does not report.
struct Properties {
  Text name;
  int major = 0;  ///< compute capability
  int minor = 0;
  int multiprocessors = 0;
  int64_t total_memory = 0;             ///< bytes
  int64_t l2_bytes = 0;                 ///< size of the L2 cache
  int64_t shared_memory_per_block = 0;  ///< bytes, the most that a kernel can opt in to
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  double bandwidth = 0;  ///< of the memory, bytes a second, from clock and bus width
  bool memory_pools = false;
};

namespace detail {
inline int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  quiet(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

WEFT_ONCE inline Properties read_properties(int ordinal) {
  cudaDeviceProp raw;
  check(cudaGetDeviceProperties(&raw, ordinal), "properties", "of cuda:", ordinal);
  Properties p;
  p.name = raw.name;
  p.major = raw.major;
  p.minor = raw.minor;
  p.multiprocessors = raw.multiProcessorCount;
  p.total_memory = static_cast<int64_t>(raw.totalGlobalMem);
  p.l2_bytes = raw.l2CacheSize;
  p.shared_memory_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
  p.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, ordinal);
  p.memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
  p.bandwidth = 2.0 * 1e3 * p.memory_clock_khz * p.memory_bus_bits / 8;  // both clock edges
  p.memory_pools = attribute(cudaDevAttrMemoryPoolsSupported, ordinal) != 0;
  return p;
}

[[gnu::visibility("default")]] inline Properties* known_properties[max_devices] = {};
}  // namespace detail

/// The properties of a GPU, queried once.
WEFT_OUTLINED inline const Properties& properties(Cuda device = {}) {
  const int ordinal = resolve(device);
  Properties*& slot = detail::known_properties[ordinal];
  Properties* known = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);
  if (known == nullptr) {
    auto* mine = new Properties(detail::read_properties(ordinal));
    if (__atomic_compare_exchange_n(&slot, &known, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      known = mine;
    } else {
      delete mine;
    }
  }
  return *known;
}

}  // namespace weft::on_cuda

namespace weft {

/// The same for generic code.
inline bool is_available(Cuda device) {
  return device.ordinal < on_cuda::device_count() && on_cuda::is_available();
}
inline const char* device_name(Cuda device) { return on_cuda::properties(device).name.c_str(); }

}  // namespace weft
