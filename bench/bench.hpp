// How the GPU benchmarks time a statement, check it against the host and print a line of JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_profiler_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "inputs.hpp"

namespace bench {

inline constexpr int warm_ups = 5;
inline constexpr int timed_runs = 50;    // at most
inline double timed_milliseconds = 100;  // about; but no fewer than 9 runs
/// Before a case: a GPU lowers its clock some 50 ms after it begins to multiply matrices.
inline std::chrono::milliseconds rest{0};

/// `--once`: each statement of weft's runs once, in a profiler's range, and is not timed.
inline bool once = false;

template <class Bits>
__global__ void count_untouched(const Bits* data, int64_t n, int* count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && data[i] == static_cast<Bits>(-1)) atomicAdd(count, 1);
}

/// What a statement must leave in one tensor, and how far off it is.
struct Expected {
  std::function<void()> before;   // marks the result, so that what is not written shows
  std::function<void()> after;    // takes the samples
  std::function<double()> error;  // the largest, relative to max(1, |expected|)
  double tolerance;
};

/// Elements of `result` against value(i), computed in double on the host for up to 1024 of them, in
/// stretches over the whole length. Unless it is updated in place, all elements must be written.
template <class T, class F>
Expected expect(Gpu<T>& result, double tolerance, F value, bool in_place = false) {
  struct Samples {
    std::vector<int64_t> at;
    std::vector<T> found;
    int untouched = 0;
  };
  auto samples = std::make_shared<Samples>();
  auto before = [&result, in_place] {
    const auto bytes = static_cast<std::size_t>(result.size()) * sizeof(T);
    if (in_place) return;
    weft::cuda::check(
        cudaMemsetAsync(result.data(), 0xFF, bytes, weft::cuda::current_stream().handle()),
        "bench");
  };
  auto after = [&result, in_place, samples] {
    weft::cuda::synchronize();
    const int64_t n = result.size();
    const int64_t length = std::min<int64_t>(n, 64);
    for (unsigned s = 0; s < (n > 64 ? 16U : 1U); ++s) {
      const double place = s == 0 ? 0 : s == 1 ? 1 : input(99, s, Range::unit);
      const auto start = static_cast<int64_t>(place * static_cast<double>(n - length));
      const std::size_t size = samples->found.size();
      samples->found.resize(size + static_cast<std::size_t>(length));
      for (int64_t i = 0; i < length; ++i) samples->at.push_back(start + i);
      weft::cuda::check(
          cudaMemcpy(samples->found.data() + size, result.data() + start,
                     static_cast<std::size_t>(length) * sizeof(T), cudaMemcpyDeviceToHost),
          "bench");
    }
    if (in_place) return;
    using Bits =
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    auto count = weft::empty<std::int32_t>({1}, weft::Cuda{});
    const cudaStream_t stream = weft::cuda::current_stream().handle();
    weft::cuda::check(cudaMemsetAsync(count.data(), 0, sizeof(int), stream), "bench");
    count_untouched<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(
        reinterpret_cast<const Bits*>(result.data()), n, count.data());
    samples->untouched = count.item();
  };
  auto error = [value, samples]() mutable {
    if (samples->untouched > 0) return 1e30;
    double worst = 0;
    for (std::size_t s = 0; s < samples->at.size(); ++s) {
      const double wanted = value(samples->at[s]);
      const double off = std::abs(static_cast<double>(samples->found[s]) - wanted) /
                         std::max(1.0, std::abs(wanted));
      worst = off <= 1e30 ? std::max(worst, off) : 1e30;
    }
    return worst;
  };
  return {before, after, error, tolerance};
}

/// The kernels that a statement launches, found by capturing it; 0 where that fails.
template <class F>
int count_kernels(const F& statement) {
  const cudaStream_t stream = weft::cuda::current_stream().handle();
  cudaGraph_t graph = nullptr;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return 0;
  try {
    statement();
  } catch (const weft::Error&) {
  }
  int kernels = 0;
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr) {
    cudaGraphNode_t nodes[256];
    std::size_t n = 256;
    (void)cudaGraphGetNodes(graph, nodes, &n);
    for (std::size_t i = 0; i < n; ++i) {
      cudaGraphNodeType type{};
      (void)cudaGraphNodeGetType(nodes[i], &type);
      kernels += type == cudaGraphNodeTypeKernel;
    }
    (void)cudaGraphDestroy(graph);
  }
  (void)cudaGetLastError();
  return kernels;
}

/// Set to 1 once a check or a case has failed: what the program returns.
inline int exit_code = 0;

inline void print(const char* name, const char* who, double ms, double bytes, int kernels,
                  double error, bool right) {
  std::printf(
      "{\"case\": \"%s\", \"who\": \"%s\", \"ms\": %.6f, \"gbps\": %.1f, "
      "\"kernels\": %d, \"error\": %.3g, \"checked\": %s}\n",
      name, who, ms, bytes / ms * 1e-6, kernels, error, right ? "true" : "false");
  std::fflush(stdout);
  if (!right) exit_code = 1;
}

/// Separates the kernels of one case from the previous case's, in a profile.
static __global__ void case_begins() {}

/// Runs the statement once for a profiler, which counts what lies between the two marks.
template <class F>
void run_once(const char* name, double bytes, const F& statement) {
  weft::cuda::synchronize();
  weft::cuda::check(cudaProfilerStart(), "bench");
  case_begins<<<1, 1, 0, weft::cuda::current_stream().handle()>>>();
  statement();
  weft::cuda::synchronize();
  weft::cuda::check(cudaProfilerStop(), "bench");
  std::printf("{\"profiled\": \"%s\", \"bytes\": %.0f}\n", name, bytes);
  std::fflush(stdout);
}

/// The milliseconds of `runs` calls of run(r), each between two events of its own.
template <class F>
std::vector<double> times(int runs, const F& run) {
  std::vector<weft::cuda::Event> begin;
  std::vector<weft::cuda::Event> end;
  for (int r = 0; r < runs; ++r) {
    begin.emplace_back(true);
    end.emplace_back(true);
  }
  for (int r = -2; r < runs; ++r) {  // two more to warm up, so that the host is ahead of the GPU
    if (r >= 0) begin[static_cast<std::size_t>(r)].record();
    run(r + 2);
    if (r >= 0) end[static_cast<std::size_t>(r)].record();
  }
  weft::cuda::synchronize();
  std::vector<double> ms;
  for (std::size_t r = 0; r < begin.size(); ++r) ms.push_back(end[r].milliseconds_since(begin[r]));
  return ms;
}

/// The host's microseconds for a call of f, in a batch that the GPU is then waited for.
template <class F>
double host_microseconds(const F& f) {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 256;
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) f();
  const std::chrono::duration<double, std::micro> time = Clock::now() - begin;
  weft::cuda::synchronize();
  return time.count() / calls;
}

/// Runs statement(set) over the sets in turn and prints the median time of a run. `bytes` is the
/// least that the work must move. The checks look at the first run on set 0. `kernels` are counted
/// unless given, as for a statement that cannot be captured.
template <class Set, class Statement>
void measure(const char* name, double bytes, std::vector<Set>& sets, const Statement& statement,
             const std::vector<Expected>& expected, const char* who = "weft", int kernels = -1) {
  if (once) {
    if (std::strcmp(who, "weft") == 0) run_once(name, bytes, [&] { statement(sets[0]); });
    return;
  }
  for (const Expected& e : expected) e.before();
  statement(sets[0]);
  for (const Expected& e : expected) e.after();

  const auto run = [&](int r) { statement(sets[static_cast<std::size_t>(r) % sets.size()]); };
  weft::cuda::synchronize();
  std::this_thread::sleep_for(rest);
  const double trial = times(warm_ups - 2, run).back();
  const int runs = std::clamp(static_cast<int>(timed_milliseconds / trial), 9, timed_runs);
  std::vector<double> ms = times(runs, run);
  std::nth_element(ms.begin(), ms.begin() + runs / 2, ms.end());

  double error = 0;
  bool right = true;
  for (const Expected& e : expected) {
    const double found = e.error();
    error = std::max(error, found);
    right = right && found <= e.tolerance;
  }
  if (kernels < 0) kernels = count_kernels([&] { statement(sets.back()); });
  print(name, who, ms[static_cast<std::size_t>(runs / 2)], bytes, kernels, error, right);
}

using Case = std::pair<const char*, void (*)()>;

/// Runs the cases, or those named in `--cases a,b`, `--once` or timed; returns 77 where there is no
/// GPU.
inline int main(int argc, char** argv, const std::vector<Case>& cases) {
  if (!weft::cuda::is_available()) {
    std::printf("skipped: no CUDA device is available\n");
    return 77;
  }
  std::string wanted;
  for (int i = 1; i < argc; ++i) {
    once = once || std::strcmp(argv[i], "--once") == 0;
    if (i + 1 < argc && std::strcmp(argv[i], "--cases") == 0) {
      wanted = "," + std::string(argv[i + 1]) + ",";
    }
  }
  if (once) set_count = 1;
  std::printf("{\"device\": \"%s\", \"cuda\": \"%d.%d\", \"driver_cuda\": \"%d.%d\"}\n",
              weft::cuda::properties().name.c_str(), weft::cuda::runtime_version() / 1000,
              weft::cuda::runtime_version() % 1000 / 10, weft::cuda::driver_version() / 1000,
              weft::cuda::driver_version() % 1000 / 10);
  for (const Case& c : cases) {
    if (!wanted.empty() && wanted.find("," + std::string(c.first) + ",") == std::string::npos) {
      continue;
    }
    try {
      c.second();
    } catch (const std::exception& e) {
      std::string text = e.what();
      std::replace(text.begin(), text.end(), '"', '\'');
      std::printf("{\"case\": \"%s\", \"who\": \"weft\", \"failed\": \"%s\"}\n", c.first,
                  text.c_str());
      exit_code = 1;
    }
  }
  return exit_code;
}

}  // namespace bench
