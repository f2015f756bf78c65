// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/estimate.hpp>

#include "test.hpp"

using weft::estimate;
using weft::Estimate;
using weft::KernelWork;
using weft::Machine;

namespace {
/// 1 TB/s, 100 multiprocessors of 1 GHz, no time to launch.
Machine plain() {
  Machine m;
  m.bandwidth = 1e12;
  m.read_share = m.write_share = 1;
  m.multiprocessors = 100;
  m.clock = 1e9;
  m.issue_rate = 100;
  m.thread_slots = m.operand_slots = m.reduction_slots = 0;
  m.launch_seconds = 0;
  return m;
}
/// A gigabyte, by many blocks.
KernelWork large() {
  KernelWork w;
  w.read = 1e9;
  w.elements = 1e8;
  w.blocks = 1e6;
  w.threads = 256;
  return w;
}
doctest::String limit(const Estimate& e) { return e.limit(); }
}  // namespace

TEST_CASE("a kernel takes the longest of its limits, and its launch") {
  Machine m = plain();
  KernelWork w = large();
  CHECK(estimate(w, m).seconds == doctest::Approx(1e-3));
  CHECK(limit(estimate(w, m)) == "memory");
  m.read_share = 0.8;
  CHECK(estimate(w, m).seconds == doctest::Approx(1.25e-3));
  m.write_share = 0.5;
  w.written = 1e9;
  CHECK(estimate(w, m).seconds == doctest::Approx(3.25e-3));
  w.written = 0;
  w.cost.slots = 200;
  CHECK(estimate(w, m).seconds == doctest::Approx(1e8 * 200 / (100 * 1e9 * 100)));
  CHECK(limit(estimate(w, m)) == "instructions");
  w.cost.special = 40;
  CHECK(estimate(w, m).seconds == doctest::Approx(1e8 * 40 / (100 * 1e9 * 16)));
  CHECK(limit(estimate(w, m)) == "special functions");
  w.cost.wide = 320;
  CHECK(limit(estimate(w, m)) == "double precision");
  m.launch_seconds = 1;
  w.launches = 2;
  CHECK(estimate(w, m).seconds == doctest::Approx(2 + estimate(w, m).wide));
  CHECK(limit(estimate(w, m)) == "launch");
  m.bandwidth = 0;
  CHECK(estimate(w, m).seconds == 0);
}

TEST_CASE("each thread has instructions beside its elements") {
  Machine m = plain();
  m.thread_slots = 10;
  m.operand_slots = 5;
  m.reduction_slots = 100;
  KernelWork w = large();
  w.operands = 2;
  CHECK(estimate(w, m).issue == doctest::Approx(1e6 * 256 * 20 / 1e13));
  w.reductions = 1;
  CHECK(estimate(w, m).issue == doctest::Approx(1e6 * 256 * 120 / 1e13));
}

TEST_CASE("few bytes come from L2, few threads have few of them under way") {
  Machine m = plain();
  m.cache_bandwidth = 4e12;
  m.cache_bytes = 4e6;
  KernelWork w = large();
  w.read = 2e6;
  w.threads = 1024;
  CHECK(estimate(w, m).memory == 0);
  m.bytes_in_flight = 1;
  CHECK(estimate(w, m).cache == doctest::Approx(2e6 / 4e12));
  CHECK(limit(estimate(w, m)) == "L2");
  w.read = 3e6;
  CHECK(estimate(w, m).cache == doctest::Approx(1.5e6 / 4e12));
  CHECK(estimate(w, m).memory == doctest::Approx(1.5e6 / 1e12));
  w.read = 8e6;
  CHECK(estimate(w, m).cache == 0);
  w.read_again = 4e6;
  w.in_flight = 1e6;
  CHECK(estimate(w, m).cache == doctest::Approx(4e6 / 4e12));
  CHECK(estimate(w, m).memory == doctest::Approx(8e6 / 1e12));

  m = plain();
  w = large();
  w.blocks = 1;
  w.threads = 256;  // of 128 bytes: one part in a hundred of 32 KiB for each multiprocessor
  CHECK(estimate(w, m).memory == doctest::Approx(0.1));
}

TEST_CASE("blocks that do not fill the machine evenly leave a part of it idle") {
  Machine m = plain();
  KernelWork w = large();
  w.cost.slots = 1e6;
  const double full = estimate(w, m).issue;
  w.blocks = 100;
  CHECK(estimate(w, m).issue == doctest::Approx(full));
  w.blocks = 50;
  CHECK(estimate(w, m).issue == doctest::Approx(2 * full));
  w.blocks = 101;
  CHECK(estimate(w, m).issue == doctest::Approx(full * 200 / 101));
}
