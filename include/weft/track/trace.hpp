// WEFT_TRACE=1: a Chrome trace of the program's statements, and of its kernels and copies on GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "weft/eval/program/statement_observer.hpp"
#include "weft/track/chrome_trace.hpp"

namespace weft::track {

namespace detail {
/// What the process records. Used until it has ended.
[[gnu::visibility("default")]] inline ChromeTrace& process_trace() {
  static auto* const trace = new ChromeTrace;
  return *trace;
}

/// Waits for the GPUs and adds what ran on them (track/cuda.hpp); null in a program without.
using Collect = void (*)(ChromeTrace&);
[[gnu::visibility("default")]] inline constinit Collect collect_gpus = nullptr;

inline int thread_number() { return static_cast<int>(syscall(SYS_gettid)); }

inline void trace_done(const char* operation, const Shape* shape, double begin) noexcept {
  try {
    Text name = operation;
    if (shape != nullptr) name += weft::detail::join({" ", *shape});
    process_trace().add(name, 0, thread_number(), begin, ChromeTrace::now());
  } catch (...) {  // without memory for it the span is left out
  }
}
[[gnu::visibility("default")]] inline constexpr weft::detail::StatementObserver trace_observer{
    ChromeTrace::now, trace_done};
}  // namespace detail

/// Starts or stops recording the statements of the process on the host: what ran, when, in which
/// thread and for how long. On CUDA that is the time to launch; trace_kernels() records the GPU.
inline void trace_statements(bool on = true) {
  weft::detail::observe_statements(on ? &detail::trace_observer : nullptr);
}

/// Writes what was recorded so far, and forgets it. Waits for the GPUs; throws FileError.
inline void save_trace(const std::string& path) {
  ChromeTrace& trace = detail::process_trace();
  trace.name_group(0, "host");
  if (detail::collect_gpus != nullptr) detail::collect_gpus(trace);
  trace.save(path);
  trace.clear();
}

namespace detail {
/// The file that WEFT_TRACE names, weft_trace.json if it is 1; empty if nothing is to be recorded.
inline std::string wanted_trace() {
  const char* const value = std::getenv("WEFT_TRACE");
  const std::string path = value != nullptr ? value : "";
  return path == "0" ? "" : path == "1" ? "weft_trace.json" : path;
}

/// At the program's end, by each of the host and the GPU side, in either order: the first asks the
/// GPUs, and the last writes everything.
inline void finish_trace() {
  try {
    trace_statements(false);
    ChromeTrace& trace = process_trace();
    trace.name_group(0, "host");
    if (collect_gpus != nullptr) collect_gpus(trace);
    collect_gpus = nullptr;
    trace.save(wanted_trace());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

/// WEFT_TRACE: from the start of the program to its end.
inline const bool traced_from_the_start = [] {
  if (wanted_trace().empty()) return false;
  trace_statements();
  std::atexit(finish_trace);
  return true;
}();
}  // namespace detail

}  // namespace weft::track
