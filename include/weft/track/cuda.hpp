// The GPU's side of a trace: when each of weft's kernels and copies was launched and when it ran.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "weft/cuda/runtime/launch_observer.hpp"
#include "weft/cuda/stream.hpp"
#include "weft/eval/program/name.hpp"
#include "weft/track/trace.hpp"

namespace weft::track {

namespace detail {
/// Launches of kernels and, on the GPU, events before and after each. One a process.
class KernelTrace {
 public:
  void begin(const weft::detail::Name& name) {
    Launch launch{std::string(text(name)), on_cuda::current_device(), thread_number(),
                  ChromeTrace::now()};
    const on_cuda::Stream stream = on_cuda::current_stream(Cuda{launch.ordinal});
    launch.stream = stream.handle();
    if (!on_cuda::is_capturing(stream)) launch.start = mark(stream);
    open().push_back(std::move(launch));
  }
  void end() {
    if (open().empty()) return;
    Launch launch = std::move(open().back());
    open().pop_back();
    launch.host_end = ChromeTrace::now();
    if (launch.start != nullptr) {
      launch.stop = mark(on_cuda::Stream::borrow(launch.stream, Cuda{launch.ordinal}));
    }
    const std::lock_guard lock(mutex_);
    launches_.push_back(std::move(launch));
  }

  /// Waits for the GPUs and moves all launches so far to `trace`: the host is group 0, GPU i is
  /// group 1 + i.
  void collect(ChromeTrace& trace) {
    const std::lock_guard lock(mutex_);
    for (int gpu = 0; gpu < on_cuda::device_count(); ++gpu) {
      const bool used = origins_.size() > static_cast<std::size_t>(gpu) &&
                        origins_[static_cast<std::size_t>(gpu)].event != nullptr;
      if (!used) continue;
      const on_cuda::DeviceGuard guard(Cuda{gpu});
      on_cuda::check(cudaDeviceSynchronize(), "trace");
      trace.name_group(1 + gpu, "cuda:" + std::to_string(gpu));
    }
    for (Launch& each : launches_) {
      trace.add(each.name, 0, each.thread, each.host_begin, each.host_end);
      if (each.start == nullptr) continue;
      const Origin& origin = origins_[static_cast<std::size_t>(each.ordinal)];
      const double begin = origin.time + since(origin.event, each.start);
      trace.add(each.name, 1 + each.ordinal, row_of(each.stream), begin,
                begin + since(each.start, each.stop));
      cudaEventDestroy(each.start);
      cudaEventDestroy(each.stop);
    }
    launches_.clear();
  }

 private:
  struct Launch {
    std::string name;
    int ordinal = 0;
    int thread = 0;
    double host_begin = 0;
    double host_end = 0;
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr;  // null in a capture, whose graph runs later
    cudaEvent_t stop = nullptr;
  };
  /// An event of a GPU whose time on the host is known.
  struct Origin {
    cudaEvent_t event = nullptr;
    double time = 0;
  };

  static std::vector<Launch>& open() {
    static thread_local std::vector<Launch> launches;
    return launches;
  }
  static double since(cudaEvent_t from, cudaEvent_t to) {
    float milliseconds = 0;
    on_cuda::check(cudaEventElapsedTime(&milliseconds, from, to), "trace");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  cudaEvent_t mark(const on_cuda::Stream& stream) {
    const int ordinal = stream.device().ordinal;
    const on_cuda::DeviceGuard guard(Cuda{ordinal});
    {
      const std::lock_guard lock(mutex_);
      if (origins_.size() <= static_cast<std::size_t>(ordinal)) {
        origins_.resize(static_cast<std::size_t>(ordinal) + 1);
      }
      Origin& origin = origins_[static_cast<std::size_t>(ordinal)];
      if (origin.event == nullptr) {
        on_cuda::check(cudaEventCreate(&origin.event), "trace");
        on_cuda::check(cudaEventRecord(origin.event, stream), "trace");
        on_cuda::check(cudaEventSynchronize(origin.event), "trace");
        origin.time = ChromeTrace::now();
      }
    }
    cudaEvent_t event = nullptr;
    on_cuda::check(cudaEventCreate(&event), "trace");
    on_cuda::check(cudaEventRecord(event, stream), "trace");
    return event;
  }

  int row_of(cudaStream_t stream) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i] == stream) return static_cast<int>(i);
    }
    streams_.push_back(stream);
    return static_cast<int>(streams_.size()) - 1;
  }

  std::mutex mutex_;
  std::vector<Launch> launches_;
  std::vector<Origin> origins_;        // by GPU
  std::vector<cudaStream_t> streams_;  // by row
};

[[gnu::visibility("default")]] inline KernelTrace& kernel_trace() {
  static auto* const trace = new KernelTrace;  // used until the process has ended
  return *trace;
}
inline void launch_begin(const weft::detail::Name& name) { kernel_trace().begin(name); }
inline void launch_end() noexcept {
  try {
    kernel_trace().end();
  } catch (...) {  // called by a destructor; the launch itself says what is wrong
  }
}
[[gnu::visibility("default")]] inline constexpr on_cuda::LaunchObserver launch_observer{
    launch_begin, launch_end};
}  // namespace detail

/// Starts or stops recording the kernels, copies and graph replays of the process, each as one span
/// on the host and one on the GPU; replaces name_kernels(). Costs two events per launch.
inline void trace_kernels(bool on = true) {
  if (on) detail::collect_gpus = [](ChromeTrace& trace) { detail::kernel_trace().collect(trace); };
  on_cuda::observe_launches(on ? &detail::launch_observer : nullptr);
  on_cuda::observe_copies(on ? &detail::launch_observer : nullptr);
}

/// The same as save_trace(path).
inline void save_kernel_trace(const std::string& path) { save_trace(path); }

namespace detail {
/// WEFT_TRACE: from the start of the program to its end.
inline const bool gpus_traced_from_the_start = [] {
  if (wanted_trace().empty() || !on_cuda::is_available()) return false;
  static_cast<void>(cudaFree(nullptr));  // CUDA's own farewell is registered before ours
  trace_kernels();
  std::atexit([] {
    trace_kernels(false);
    finish_trace();
  });
  return true;
}();
}  // namespace detail

}  // namespace weft::track
