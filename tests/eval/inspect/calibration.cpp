// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/calibration.hpp>

#include <cstdlib>
#include <fstream>
#include <string>

#include "test.hpp"

using weft::calibrate;
using weft::Machine;
using weft::read_calibration;

namespace {
std::string written(const char* text) {
  const char* const folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/weft_calibration.txt";
  std::ofstream(path) << text;
  return path;
}
}  // namespace

TEST_CASE("a file of calibration replaces the figures that it lists") {
  Machine m;
  m.bandwidth = 3e12;
  const auto path = written("# NVIDIA H200\n\nread_share 0.91\n  launch_seconds 1.5e-06\n");
  read_calibration(path.c_str(), m);
  CHECK(m.read_share == 0.91);
  CHECK(m.launch_seconds == 1.5e-6);
  CHECK(m.bandwidth == 3e12);
  CHECK(m.special_rate == Machine{}.special_rate);
}

TEST_CASE("WEFT_CALIBRATION names the file; without it nothing changes") {
  Machine m;
  unsetenv("WEFT_CALIBRATION");
  calibrate(m);
  CHECK(m.thread_slots == Machine{}.thread_slots);
  setenv("WEFT_CALIBRATION", written("thread_slots 7\n").c_str(), 1);
  calibrate(m);
  CHECK(m.thread_slots == 7);
  setenv("WEFT_CALIBRATION", "/does/not/exist", 1);
  CHECK_SAYS("[explain] cannot open /does/not/exist, which WEFT_CALIBRATION names", calibrate(m));
  unsetenv("WEFT_CALIBRATION");
}

TEST_CASE("what a file has no figure for is an error that names the line") {
  Machine m;
  CHECK_SAYS("line 2: there is no figure speed",
             read_calibration(written("clock 1e9\nspeed 3\n").c_str(), m));
  CHECK_SAYS("line 1: clock without a number", read_calibration(written("clock\n").c_str(), m));
  CHECK_SAYS("line 1: clock without a number", read_calibration(written("clock -1\n").c_str(), m));
}
