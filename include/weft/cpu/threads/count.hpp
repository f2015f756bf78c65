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
inline int number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  const long number = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  return number < 0 ? 0 : number > 1 << 20 ? 1 << 20 : static_cast<int>(number);
}

namespace detail {

/// Whole cores of a quota, rounded up; 0 where there is none.
inline int cores_of(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return 0;
  const double cores = quota / period;
  return cores > 1 << 20 ? 0 : static_cast<int>(cores) + (cores > static_cast<int>(cores) ? 1 : 0);
}

/// The first line of the file folder/name, "" where there is none.
inline void first_line(const char* folder, const char* name, char (&line)[64]) {
  char path[4096];
  line[0] = 0;
  const int length = std::snprintf(path, sizeof(path), "%s/%s", folder, name);
  if (length < 0 || length >= static_cast<int>(sizeof(path))) return;
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return;
  if (std::fgets(line, sizeof(line), file) == nullptr) line[0] = 0;
  std::fclose(file);
}

/// The least quota of a folder of the control groups and those above it down to `depth` characters.
inline int least_quota(char* folder, std::size_t depth) {
  int least = 0;
  for (;;) {
    char quota[64];
    char period[64];
    first_line(folder, "cpu.max", quota);  // version 2: quota and period, or "max"
    char* rest = quota;
    const double numerator = std::strtod(quota, &rest);
    double denominator = std::strtod(rest, nullptr);
    double used = numerator;
    if (quota[0] == 0) {  // version 1: -1 for no quota
      first_line(folder, "cpu.cfs_quota_us", quota);
      first_line(folder, "cpu.cfs_period_us", period);
      used = std::strtod(quota, nullptr);
      denominator = std::strtod(period, nullptr);
    }
    const int cores = quota[0] == 'm' ? 0 : cores_of(used, denominator);
    if (cores > 0 && (least == 0 || cores < least)) least = cores;
    char* const slash = std::strrchr(folder, '/');
    if (slash == nullptr || std::strlen(folder) <= depth) return least;
    *slash = 0;
  }
}

}  // namespace detail

/// The cores that the process's control groups leave it (`docker --cpus`, Kubernetes' limits,
/// systemd's CPUQuota), rounded up; 0 without a limit. `root` is where they are mounted and `own`
/// the file that names the process's.
[[gnu::noinline, gnu::cold]] inline int quota_of_cores(const char* root = "/sys/fs/cgroup",
                                                       const char* own = "/proc/self/cgroup") {
  std::FILE* const file = std::fopen(own, "re");
  if (file == nullptr) return 0;
  int least = 0;
  char line[2048];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    line[std::strcspn(line, "\n")] = 0;  // "0::/path", or in version 1 "4:cpu,cpuacct:/path"
    char* const controllers = std::strchr(line, ':');
    char* const path = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    if (path == nullptr) continue;
    *path = 0;
    const bool version2 = controllers[1] == 0;
    if (!version2 && std::strncmp(controllers + 1, "cpu", 3) != 0) continue;
    if (!version2 && std::strncmp(controllers + 1, "cpuset", 6) == 0) continue;
    char folder[4096];
    const int base = std::snprintf(folder, sizeof(folder), "%s%s", root, version2 ? "" : "/cpu");
    std::snprintf(folder + base, sizeof(folder) - static_cast<std::size_t>(base), "%s",
                  std::strcmp(path + 1, "/") == 0 ? "" : path + 1);
    const int cores = detail::least_quota(folder, static_cast<std::size_t>(base));
    if (cores > 0 && (least == 0 || cores < least)) least = cores;
  }
  std::fclose(file);
  return least;
}

/// WEFT_NUM_THREADS, else the first number of OMP_NUM_THREADS, else the cores that the process may
/// run on, of which no more than its quota: what taskset, batch systems and containers give it.
[[gnu::noinline, gnu::cold]] inline int threads_of_environment() {
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
