// estimate(): how long a kernel takes, from its bytes, its instructions and a machine's figures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/inspect/element_cost.hpp"

namespace weft {

/// A GPU as the model sees it. Rates of instructions are those of threads, for each multiprocessor
/// and cycle. bench/calibrate.py measures all that is not on the data sheet.
struct Machine {
  double bandwidth = 0;            ///< of memory, bytes a second; 0: nothing is known
  double read_share = 0.92;        ///< of it that a kernel reaches when it reads
  double write_share = 0.82;       ///< and when it writes
  double cache_bandwidth = 0;      ///< of L2, bytes a second
  double cache_bytes = 0;          ///< that L2 holds
  double multiprocessors = 1;      //
  double clock = 1e9;              ///< cycles a second
  double issue_rate = 112;         ///< instructions: 128, of which a kernel reaches 7 of 8
  double special_rate = 16;        ///< of the special function unit
  double wide_rate = 64;           ///< of the double-precision unit
  double thread_slots = 30;        ///< instructions of a thread beside its elements
  double operand_slots = 6;        ///< and for each operand
  double reduction_slots = 60;     ///< and for each reduction, to join threads' states
  double bytes_in_flight = 32768;  ///< of a multiprocessor that keep memory busy
  double launch_seconds = 2.2e-6;  ///< from one launch to the next
};

/// What a kernel does.
struct KernelWork {
  double read = 0;        ///< bytes, each once
  double written = 0;     ///< bytes
  double read_again = 0;  ///< bytes, of those read
  double in_flight = 0;   ///< of these, what all resident blocks go over at a time
  double elements = 0;    ///< that it computes
  ElementCost cost;       ///< of each
  double blocks = 0;
  double threads = 0;  ///< of a block
  int operands = 0;
  int reductions = 0;
  int launches = 1;
};

/// The seconds of a kernel, and of each of its limits alone.
struct Estimate {
  double seconds = 0;  ///< the longest of the limits, and the launch; 0: unknown
  double memory = 0;
  double cache = 0;  ///< what L2 delivers
  double issue = 0;
  double special = 0;
  double wide = 0;
  double launch = 0;

  /// Of moving bytes: L2 and memory deliver one after the other.
  double moving() const { return memory + cache; }
  /// The longest of the limits: "memory", "L2", "instructions", "special functions", "double
  /// precision" or "launch".
  const char* limit() const {
    const char* name = "launch";
    double most = launch;
    const auto consider = [&](double time, const char* what) {
      if (time <= most) return;
      most = time;
      name = what;
    };
    consider(moving(), cache > memory ? "L2" : "memory");
    consider(issue, "instructions");
    consider(special, "special functions");
    consider(wide, "double precision");
    return name;
  }
};

namespace detail {

/// The share of `bytes` that is still in L2 from the statements before: all of what fits in half of
/// it, nothing of what exceeds it.
constexpr double cached_share(double bytes, double cache_bytes) {
  if (!(cache_bytes > 0)) return 0;
  const double share = 2 - 2 * bytes / cache_bytes;
  return share < 0 ? 0 : share > 1 ? 1 : share;
}

/// The share of the machine that works when blocks are few: those of a multiprocessor that has one
/// more than others are what all wait for.
inline double even_share(double blocks, double multiprocessors) {
  if (!(blocks > 0)) return 1;
  const auto rounds =
      static_cast<double>(static_cast<int64_t>((blocks + multiprocessors - 1) / multiprocessors));
  return blocks / (multiprocessors * rounds);
}

}  // namespace detail

/// time = max(memory, L2, instructions, special functions, double precision) + launches.
/// docs/09_seeing.md has the formulas.
WEFT_ONCE inline Estimate estimate(const KernelWork& work, const Machine& machine) {
  Estimate out;
  if (!(machine.bandwidth > 0) || work.launches == 0) return out;
  const double all_threads = work.blocks * work.threads;

  // Bytes: from memory or, if few, from L2. Few threads have too few of them under way.
  const double bytes = work.read + work.written;
  double filled = 1;
  if (all_threads > 0) {
    const double each = bytes / all_threads;
    filled = all_threads * (each < 128 ? each : 128) /
             (machine.multiprocessors * machine.bytes_in_flight);
    if (filled > 1) filled = 1;
  }
  if (filled > 0) {
    const double cached = detail::cached_share(bytes, machine.cache_bytes);
    const double again_cached = detail::cached_share(work.in_flight, machine.cache_bytes);
    const double read = work.read * (1 - cached) + work.read_again * (1 - again_cached);
    const double written = work.written * (1 - cached);
    out.memory =
        (read / machine.read_share + written / machine.write_share) / (machine.bandwidth * filled);
    if (machine.cache_bandwidth > 0) {
      out.cache =
          (bytes * cached + work.read_again * again_cached) / (machine.cache_bandwidth * filled);
    }
  }

  // Instructions: of the elements, and of each thread.
  const double even = detail::even_share(work.blocks, machine.multiprocessors);
  const double cycles = machine.multiprocessors * machine.clock * even;
  const double start = machine.thread_slots + machine.operand_slots * work.operands +
                       machine.reduction_slots * work.reductions;
  out.issue =
      (work.elements * work.cost.slots + all_threads * start) / (cycles * machine.issue_rate);
  out.special = work.elements * work.cost.special / (cycles * machine.special_rate);
  out.wide = work.elements * work.cost.wide / (cycles * machine.wide_rate);

  out.launch = machine.launch_seconds * work.launches;
  double most = out.moving() > out.issue ? out.moving() : out.issue;
  most = out.special > most ? out.special : most;
  most = out.wide > most ? out.wide : most;
  out.seconds = most + out.launch;
  return out;
}

}  // namespace weft
