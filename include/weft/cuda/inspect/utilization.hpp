// utilization(): how busy a GPU is, as NVIDIA's management library sees it, loaded at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include "weft/cuda/device.hpp"

namespace weft::on_cuda {

/// NVML's figures for a GPU at a moment, over all processes; unknown ones are -1.
struct Utilization {
  bool available = false;     ///< false where there is no NVML, in some containers for instance
  int gpu = -1;               ///< percent of the last sampling period in which a kernel ran
  int memory_bus = -1;        ///< percent of that period in which memory was read or written
  int64_t memory_used = -1;   ///< bytes
  int64_t memory_total = -1;  ///< bytes
  double watts = -1;          ///< drawn now
  int temperature = -1;       ///< degrees Celsius
};

namespace detail {
/// The functions of libnvidia-ml that are used here; declared by its ABI, since its header need not
/// be installed.
struct Nvml {
  struct Rates {
    unsigned gpu, memory;
  };
  struct Memory {
    unsigned long long total, free, used;
  };
  int (*device)(const char* bus, void** out) = nullptr;
  int (*rates)(void*, Rates*) = nullptr;
  int (*memory)(void*, Memory*) = nullptr;
  int (*power)(void*, unsigned* milliwatts) = nullptr;
  int (*temperature)(void*, int sensor, unsigned*) = nullptr;

  Nvml() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    int (*start)() = nullptr;
    const bool found = find(library, "nvmlInit_v2", start) &&
                       find(library, "nvmlDeviceGetUtilizationRates", rates) &&
                       find(library, "nvmlDeviceGetMemoryInfo", memory) &&
                       find(library, "nvmlDeviceGetPowerUsage", power) &&
                       find(library, "nvmlDeviceGetTemperature", temperature);
    // The library stays loaded: threads that it has started may still run its code.
    if (found && start() == 0) find(library, "nvmlDeviceGetHandleByPciBusId_v2", device);
  }

 private:
  template <class F>
  static bool find(void* library, const char* name, F*& out) {
    out = reinterpret_cast<F*>(dlsym(library, name));
    return out != nullptr;
  }
};

[[gnu::visibility("default")]] inline const Nvml& nvml() {
  static const Nvml library;
  return library;
}
}  // namespace detail

/// How busy `device` is now. A call takes some microseconds to milliseconds and does not wait for
/// the GPU.
WEFT_ONCE inline Utilization utilization(Cuda device = {}) {
  char bus[32] = {};
  const int ordinal = resolve(device);
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, ordinal), "utilization");
  const detail::Nvml& nvml = detail::nvml();
  void* there = nullptr;
  Utilization out;
  if (nvml.device == nullptr || nvml.device(bus, &there) != 0) return out;
  out.available = true;
  detail::Nvml::Rates rates{};
  if (nvml.rates(there, &rates) == 0) {
    out.gpu = static_cast<int>(rates.gpu);
    out.memory_bus = static_cast<int>(rates.memory);
  }
  detail::Nvml::Memory memory{};
  if (nvml.memory(there, &memory) == 0) {
    out.memory_used = static_cast<int64_t>(memory.used);
    out.memory_total = static_cast<int64_t>(memory.total);
  }
  unsigned value = 0;
  if (nvml.power(there, &value) == 0) out.watts = value / 1000.0;
  if (nvml.temperature(there, 0, &value) == 0) out.temperature = static_cast<int>(value);
  return out;
}

}  // namespace weft::on_cuda
