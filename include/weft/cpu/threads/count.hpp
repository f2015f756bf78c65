// How many threads the environment gives the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/core/config.hpp"

namespace weft::cpu {

/// The positive number that an environment variable begins with, else 0.
WEFT_ONCE inline int number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  const long number = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  return number < 0 ? 0 : number > 1 << 20 ? 1 << 20 : static_cast<int>(number);
}

namespace detail {

/// The cores that a control group may use, 0 without a quota.
WEFT_ONCE inline double quota_of_folder(const char* folder) {
  double numbers[2] = {};
  const auto read = [&](const char* name, const char* format, double& x, double& y) {
    char path[2048];
    std::snprintf(path, sizeof(path), "%s/%s", folder, name);
    std::FILE* const file = std::fopen(path, "re");
    if (file == nullptr) return false;
    const bool found = std::fscanf(file, format, &x, &y) > 0;
    std::fclose(file);
    return found;
  };
  // Version 2, where no quota is "max"; version 1, where it is -1.
  if (!read("cpu.max", "%lf%lf", numbers[0], numbers[1])) {
    read("cpu.cfs_quota_us", "%lf", numbers[0], numbers[0]);
    read("cpu.cfs_period_us", "%lf", numbers[1], numbers[1]);
  }
  return numbers[0] > 0 && numbers[1] > 0 ? numbers[0] / numbers[1] : 0;
}

}  // namespace detail

/// The cores that the process's control groups allow (`docker --cpus`, Kubernetes' limits,
/// systemd's CPUQuota), rounded up; 0 without a limit. `root` is where they are mounted and `own`
/// the file that names the process's.
WEFT_ONCE inline int quota_of_cores(const char* root = "/sys/fs/cgroup",
                                    const char* own = "/proc/self/cgroup") {
  std::FILE* const file = std::fopen(own, "re");
  if (file == nullptr) return 0;
  double least = 0;
  char line[1024];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    line[std::strcspn(line, "\n")] = 0;  // "0::/path", or in version 1 "4:cpu,cpuacct:/path"
    const char* const controllers = std::strchr(line, ':');
    const char* const path = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    const bool version2 = path == controllers + 1;
    const bool of_cpu =
        path != nullptr && (version2 || std::strncmp(controllers, ":cpu,", 5) == 0 ||
                            std::strncmp(controllers, ":cpu:", 5) == 0);
    if (!of_cpu) continue;
    char folder[1536];
    const int base = std::snprintf(folder, 512, "%s%s", root, version2 ? "" : "/cpu");
    std::snprintf(folder + base, 1024, "%s", path + 1);
    // The limit is the smallest of a group's and its ancestors'.
    for (char* end = folder + std::strlen(folder); end != nullptr && end >= folder + base;
         end = std::strrchr(folder, '/')) {
      *end = 0;
      const double quota = detail::quota_of_folder(folder);
      if (quota > 0 && (least == 0 || quota < least)) least = quota;
    }
  }
  std::fclose(file);
  return least < 1 << 20 ? static_cast<int>(least + 0.999) : 0;
}

/// WEFT_NUM_THREADS, else the first number of OMP_NUM_THREADS, else the cores that the process may
/// run on, limited to its quota: what taskset, batch systems and containers give it.
WEFT_ONCE inline int threads_of_environment() {
  if (const int asked = number_in_environment("WEFT_NUM_THREADS")) return asked;
  if (const int asked = number_in_environment("OMP_NUM_THREADS")) return asked;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const int count = sched_getaffinity(0, sizeof(cores), &cores) == 0
                        ? CPU_COUNT(&cores)
                        : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int quota = quota_of_cores();
  return quota > 0 && quota < count ? quota : count > 0 ? count : 1;
}

}  // namespace weft::cpu
