// Runs the drawn statements that are linked in, one for each line that it reads, and answers with a
// line of JSON: the time, and samples and sums of the results. Compiled by g++ for the CPU,
// by `nvcc -x cu` for the GPU.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "case.hpp"

namespace bench {

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

namespace {

using weft::Dtype;
constexpr int samples = 4096;
constexpr int most_runs = 30;
constexpr int least_runs = 9;
constexpr int warm_ups = 3;
#if defined(__CUDACC__)
constexpr int unmeasured = 2;  // runs before those timed, so that the host is ahead of the GPU
#else
constexpr int unmeasured = 0;
#endif
double timed_milliseconds = 100;

/// 32 bits that look random, of element i of the operand with this seed.
WEFT_HD inline unsigned hash(unsigned seed, int64_t i) {
  unsigned h = static_cast<unsigned>(i) * 0x9E3779B9U + seed * 0x85EBCA6BU;
  h = (h ^ (h >> 16)) * 0x7FEB352DU;
  h = (h ^ (h >> 15)) * 0x846CA68BU;
  return h ^ (h >> 16);
}

template <class T>
WEFT_HD T value(Kind kind, unsigned h, int64_t i, int64_t bound) {
  if (kind == Kind::order) return static_cast<T>(i);
  if (kind == Kind::mask) return static_cast<T>((h >> 24) < 205);
  if (kind == Kind::index) return static_cast<T>(static_cast<int64_t>(h) * bound >> 32);
  if (kind == Kind::bits) {
    return static_cast<T>(static_cast<int>(h >> 24) - (std::is_unsigned_v<T> ? 0 : 128));
  }
  if (sizeof(T) == 2) {  // eight significant bits
    const float unit = static_cast<float>(h >> 24) / 256;
    return static_cast<T>(kind == Kind::unit      ? unit
                          : kind == Kind::centred ? 2 * unit - 1
                                                  : static_cast<float>(128 + (h >> 25)) / 256);
  }
  const float unit = static_cast<float>(h >> 8) * 0x1p-24F;
  return static_cast<T>(kind == Kind::unit      ? unit
                        : kind == Kind::centred ? 2 * unit - 1
                                                : 0.5F + 0.5F * unit);
}

/// f(a null T*) for the element type.
template <class F>
void with_type(Dtype type, const F& f) {
  switch (type) {
    case Dtype::boolean:
      return f(static_cast<bool*>(nullptr));
    case Dtype::int8:
      return f(static_cast<std::int8_t*>(nullptr));
    case Dtype::uint8:
      return f(static_cast<std::uint8_t*>(nullptr));
    case Dtype::int16:
      return f(static_cast<std::int16_t*>(nullptr));
    case Dtype::int32:
      return f(static_cast<std::int32_t*>(nullptr));
    case Dtype::int64:
      return f(static_cast<std::int64_t*>(nullptr));
    case Dtype::float16:
      return f(static_cast<weft::half*>(nullptr));
    case Dtype::bfloat16:
      return f(static_cast<weft::bfloat16*>(nullptr));
    case Dtype::float32:
      return f(static_cast<float*>(nullptr));
    case Dtype::float64:
      return f(static_cast<double*>(nullptr));
    default:
      weft::fail<weft::ValueError>("with_type", "element type ", name(type));
  }
}

/// Where sample k lies among n elements.
WEFT_HD inline int64_t place(int64_t k, int64_t n) {
  if (n <= samples) return k;
  const auto high = static_cast<std::uint64_t>(hash(97, k)) << 31;
  return static_cast<int64_t>((high | hash(98, k) >> 1) % static_cast<std::uint64_t>(n));
}

/// Samples, then the sum of all elements and that of their absolute values.
using Look = std::vector<double>;

#if defined(__CUDACC__)
template <class T>
__global__ void fill_kernel(T* out, int64_t n, unsigned seed, Kind kind, int64_t bound) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value<T>(kind, hash(seed, i), i, bound);
}

template <class T>
__global__ void look_kernel(const T* x, int64_t n, int64_t count, double* out) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) out[i] = static_cast<double>(x[place(i, n)]);
  double sum = 0;
  double size = 0;
  for (int64_t k = i; k < n; k += int64_t{gridDim.x} * blockDim.x) {
    const auto element = static_cast<double>(x[k]);
    sum += element;
    size += fabs(element);
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    sum += __shfl_down_sync(~0U, sum, lane);
    size += __shfl_down_sync(~0U, size, lane);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(out + count, sum);
    atomicAdd(out + count + 1, size);
  }
}

cudaStream_t stream() { return weft::cuda::current_stream().handle(); }

Look look(const Result& r) {
  const int64_t count = std::min<int64_t>(r.size, samples);
  auto out = weft::zeros<double>({count + 2}, Device{});
  with_type(r.type, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    look_kernel<<<1056, 256, 0, stream()>>>(static_cast<const T*>(r.data), r.size, count,
                                            out.data());
  });
  weft::cuda::check(cudaGetLastError(), "look");
  return out.to(weft::Cpu{}).to_vector();
}

void wait() { weft::cuda::synchronize(); }
void give_back() { weft::cuda::empty_cache(); }

/// The milliseconds of run(r), each between events of its own.
template <class F>
std::vector<double> times(int runs, const F& run) {
  std::vector<weft::cuda::Event> begin;
  std::vector<weft::cuda::Event> end;
  for (int r = 0; r < runs; ++r) {
    begin.emplace_back(true);
    end.emplace_back(true);
  }
  for (int r = -unmeasured; r < runs; ++r) {
    if (r >= 0) begin[static_cast<std::size_t>(r)].record();
    run(r + unmeasured);
    if (r >= 0) end[static_cast<std::size_t>(r)].record();
  }
  wait();
  std::vector<double> ms;
  for (std::size_t r = 0; r < begin.size(); ++r) ms.push_back(end[r].milliseconds_since(begin[r]));
  return ms;
}
#else
Look look(const Result& r) {
  const int64_t count = std::min<int64_t>(r.size, samples);
  Look out(static_cast<std::size_t>(count) + 2);
  with_type(r.type, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const T* x = static_cast<const T*>(r.data);
    for (int64_t k = 0; k < count; ++k) {
      out[static_cast<std::size_t>(k)] = static_cast<double>(x[place(k, r.size)]);
    }
    for (int64_t k = 0; k < r.size; ++k) {
      out.end()[-2] += static_cast<double>(x[k]);
      out.end()[-1] += std::abs(static_cast<double>(x[k]));
    }
  });
  return out;
}

void wait() {}
void give_back() {}

template <class F>
std::vector<double> times(int runs, const F& run) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> ms;
  for (int r = 0; r < runs; ++r) {
    const auto begin = Clock::now();
    run(r);
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  return ms;
}
#endif

/// The median of a GPU's times; of a CPU's, which its neighbours disturb, the least.
double typical(std::vector<double> ms) {
#if defined(__CUDACC__)
  const auto middle = ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2);
  std::nth_element(ms.begin(), middle, ms.end());
  return *middle;
#else
  return *std::min_element(ms.begin(), ms.end());
#endif
}

/// Runs a case: the results of the first run, and the time over three sets of buffers.
void run(const Case& c) {
  std::vector<std::unique_ptr<Work>> sets;
  for (unsigned s = 0; s < 3; ++s) sets.emplace_back(c.make(64 * s));
  sets[0]->run();
  std::vector<Look> found;
  for (const Result& r : sets[0]->results()) found.push_back(look(r));

  const auto work = [&](int r) { sets[static_cast<std::size_t>(r) % sets.size()]->run(); };
  const double trial = times(warm_ups, work).back();
  const int runs = std::clamp(static_cast<int>(timed_milliseconds / trial), least_runs, most_runs);
  std::printf("{\"case\": %d, \"ms\": %.6f, \"runs\": [%d, %d], \"results\": [", c.number,
              typical(times(runs, work)), runs, 1 + warm_ups + runs + 2 * unmeasured);
  const char* before = "";
  for (const Look& values : found) {
    std::printf("%s[", before);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double x = values[k];
      if (k > 0) std::printf(",");
      if (std::isfinite(x)) std::printf("%.12g", x);
      if (!std::isfinite(x)) std::printf("%s", std::isnan(x) ? "NaN" : x > 0 ? "1e999" : "-1e999");
    }
    std::printf("]");
    before = ", ";
  }
  std::printf("]}\n");
}

/// A string in JSON's quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Bytes a second of the memory: of a GPU by its data sheet, of a CPU by copying.
void say_device() {
#if defined(__CUDACC__)
  const auto p = weft::cuda::properties();
  std::printf("{\"device\": %s, \"bandwidth\": %.6g}\n", quoted(p.name.c_str()).c_str(),
              p.bandwidth);
#else
  const int64_t n = 1 << 25;
  const auto x = weft::ones({n});
  const auto y = weft::zeros({n});
  const double ms = typical(times(9, [&](int r) { r % 2 == 0 ? y.assign(x) : x.assign(y); }));
  std::printf("{\"device\": \"cpu\", \"bandwidth\": %.6g}\n", 8e3 * static_cast<double>(n) / ms);
#endif
}

void answer(const char* command, int number) {
  if (std::strcmp(command, "device") == 0) return say_device();
  for (const Case& c : cases()) {
    if (c.number != number) continue;
    if (std::strcmp(command, "run") == 0) return run(c);
    const std::string text = std::unique_ptr<Work>(c.make(0))->explained();
    std::printf("{\"case\": %d, \"explained\": %s}\n", number, quoted(text).c_str());
    return;
  }
  std::printf("{\"case\": %d, \"failed\": \"it is not linked in\"}\n", number);
}

}  // namespace

void fill(void* data, Dtype type, int64_t n, unsigned seed, Kind kind, int64_t bound) {
  with_type(type, [&](auto* null) {
    using T = std::remove_pointer_t<decltype(null)>;
    T* out = static_cast<T*>(data);
#if defined(__CUDACC__)
    fill_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream()>>>(out, n, seed, kind,
                                                                              bound);
    weft::cuda::check(cudaGetLastError(), "fill");
#else
#pragma omp parallel for
    for (int64_t i = 0; i < n; ++i) out[i] = value<T>(kind, hash(seed, i), i, bound);
#endif
  });
}

}  // namespace bench

int main(int argc, char** argv) {
  if (argc > 1) bench::timed_milliseconds = std::atof(argv[1]);
#if !defined(__CUDACC__)
  if (argc > 2) weft::set_num_threads(std::atoi(argv[2]));
#endif
  char command[16];
  int number = 0;
  while (std::scanf("%15s %d", command, &number) == 2) {
    try {
      bench::answer(command, number);
      bench::wait();
    } catch (const std::exception& e) {
      std::printf("{\"case\": %d, \"failed\": %s}\n", number, bench::quoted(e.what()).c_str());
    }
    std::fflush(stdout);
    try {
      bench::give_back();
    } catch (const std::exception&) {
      return 3;  // the GPU takes no more work from this process
    }
  }
  return 0;
}
