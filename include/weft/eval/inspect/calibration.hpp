// read_calibration(path, machine): the figures of a machine that bench/calibrate.py measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/core/error.hpp"
#include "weft/eval/inspect/estimate.hpp"

namespace weft {

namespace detail {

/// A figure's name in a file of calibration.
struct MachineFigure {
  using Member = double Machine::*;
  const char* name;
  Member value;
};
inline constexpr MachineFigure machine_figures[] = {
    {"read_share", &Machine::read_share},
    {"write_share", &Machine::write_share},
    {"cache_bandwidth", &Machine::cache_bandwidth},
    {"cache_bytes", &Machine::cache_bytes},
    {"clock", &Machine::clock},
    {"issue_rate", &Machine::issue_rate},
    {"special_rate", &Machine::special_rate},
    {"wide_rate", &Machine::wide_rate},
    {"thread_slots", &Machine::thread_slots},
    {"operand_slots", &Machine::operand_slots},
    {"reduction_slots", &Machine::reduction_slots},
    {"bytes_in_flight", &Machine::bytes_in_flight},
    {"launch_seconds", &Machine::launch_seconds},
};

/// Sets the figure that a line `name value` gives; comments begin with #.
WEFT_ONCE inline void read_figure(const char* path, int number, const char* line,
                                  Machine& machine) {
  char name[64] = {};
  double value = 0;
  const int found = std::sscanf(line, " %63s %lf", name, &value);
  if (found < 1 || name[0] == '#') return;
  for (const MachineFigure& figure : machine_figures) {
    if (std::strcmp(name, figure.name) != 0) continue;
    if (found == 2 && value >= 0) {
      machine.*figure.value = value;
      return;
    }
    fail<ValueError>("explain", path, ", line ", number, ": ", name,
                     " without a number of at least 0");
  }
  fail<ValueError>("explain", path, ", line ", number, ": there is no figure ", name,
                   "; bench/calibrate.py writes such files");
}

}  // namespace detail

/// Replaces the figures of `machine` that the file lists, one `name value` a line.
WEFT_ONCE inline void read_calibration(const char* path, Machine& machine) {
  struct File {
    explicit File(const char* path) : handle(std::fopen(path, "r")) {}
    ~File() {
      if (handle != nullptr) std::fclose(handle);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    std::FILE* handle;
  };
  const File file(path);
  if (file.handle == nullptr) {
    fail<ValueError>("explain", "cannot open ", path, ", which WEFT_CALIBRATION names");
  }
  char line[256];
  for (int number = 1; std::fgets(line, sizeof line, file.handle) != nullptr; ++number) {
    detail::read_figure(path, number, line, machine);
  }
}

/// The same for the file that WEFT_CALIBRATION names, if it is set.
WEFT_ONCE inline void calibrate(Machine& machine) {
  const char* const path = std::getenv("WEFT_CALIBRATION");
  if (path != nullptr && path[0] != '\0') read_calibration(path, machine);
}

}  // namespace weft
