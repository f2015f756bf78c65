// What tuning gains: statements timed as planned and as tuned, in turns, whose bits must agree.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/cuda/tune.hpp"

using namespace weft;
using Gpu = Tensor<float, Cuda>;
using Half = Tensor<bfloat16, Cuda>;

namespace {

const auto last = axis(-1);
double ratios = 1;
int statements = 0;
int wrong = 0;

Gpu values(const Shape& shape) { return randn(shape, Cuda{}); }

/// The median seconds of f() as planned and as tuned, with other data in L2 before each run.
template <class F>
void time_both(const F& f, double (&seconds)[2]) {
  const auto bytes = 2 * cuda::properties().l2_bytes;
  auto other = zeros({bytes / 4}, Cuda{});
  std::vector<double> times[2];
  const cuda::Tuner* const tuner = cuda::detail::tuner;
  for (int i = 0; i < 42; ++i) {
    const int tuned = i % 2;
    cudaMemsetAsync(other.data(), 0, static_cast<std::size_t>(bytes), cuda::current_stream());
    cuda::detail::tuner = tuned == 1 ? tuner : nullptr;
    cuda::Event begin(true);
    cuda::Event end(true);
    begin.record();
    f();
    end.record();
    end.synchronize();
    if (i >= 4) times[tuned].push_back(1e-3 * end.milliseconds_since(begin));
  }
  cuda::detail::tuner = tuner;
  for (int k = 0; k < 2; ++k) {
    std::sort(times[k].begin(), times[k].end());
    seconds[k] = times[k][times[k].size() / 2];
  }
}

template <class T, class F>
void run(const char* name, Tensor<T, Cuda>& z, const F& f) {
  const cuda::Tuner* const before = cuda::detail::tuner;
  cuda::detail::tuner = nullptr;
  f();
  const auto expected = z.clone();
  cuda::detail::tuner = before;
  const cuda::Tuned tuned = cuda::tune(f);
  f();
  const auto bits = [](const auto& x) {
    const auto host = x.contiguous().to(Cpu{});
    return std::vector<char>(reinterpret_cast<const char*>(host.data()),
                             reinterpret_cast<const char*>(host.data() + host.size()));
  };
  const bool same = bits(z) == bits(expected);
  double seconds[2];
  time_both(f, seconds);
  std::string won;
  for (const auto& kernel : tuned.kernels) {
    won += won.empty() ? "" : "; ";
    const auto& first = kernel.candidates[0];
    const auto& best = kernel.candidates[kernel.chosen];
    char text[200];
    std::snprintf(text, sizeof text, "%s of %d: %s (%.1f -> %.1f us)", kernel.kind.c_str(),
                  static_cast<int>(kernel.candidates.size()), best.choice.c_str(),
                  1e6 * first.seconds, 1e6 * best.seconds);
    won += text;
  }
  std::printf("%-34s %8.1f %8.1f us  %.3f  %s  %s\n", name, 1e6 * seconds[0], 1e6 * seconds[1],
              seconds[1] / seconds[0], same ? "same bits" : "OTHER BITS", won.c_str());
  std::fflush(stdout);
  ratios *= seconds[1] / seconds[0];
  ++statements;
  wrong += !same;
}

void elementwise() {
  Gpu z;
  {
    const Gpu x = values({366948, 197});
    const Gpu row = values({197});
    run("x * row + 1, 366948 x 197", z, [&] { z = x * row + 1; });
    run("tanh(x) + row, 366948 x 197", z, [&] { z = tanh(x) + row; });
    const Gpu column = values({366948, 1});
    run("x * column, 366948 x 197", z, [&] { z = x * column; });
  }
  {
    const Gpu x = values({366948, 196});
    const Gpu row = values({196});
    run("x * row + 1, 366948 x 196", z, [&] { z = x * row + 1; });
  }
  {
    const Gpu x = values({1 << 26});
    const Gpu y = values({1 << 26});
    run("x * y + 1, 67M", z, [&] { z = x * y + 1; });
    run("exp(-x * x) * tanh(y) + sigmoid(x), 67M", z,
        [&] { z = exp(-x * x) * tanh(y) + sigmoid(x); });
  }
  {
    const Gpu x = values({64, 128, 56, 56});
    const Gpu scale = values({128, 1, 1});
    run("relu(x * scale), 64 x 128 x 56 x 56", z, [&] { z = relu(x * scale); });
  }
  Half h;
  const Half x = cast<bfloat16>(values({8192, 8192}));
  const Half row = cast<bfloat16>(values({8192}));
  run("x * row, bf16, 8192 x 8192", h, [&] { h = x * row; });
}

void copies() {
  Gpu z;
  const Gpu x = values({48, 80, 96, 56});
  run("permute(3, 1, 0, 2)", z, [&] { z = x.permute(3, 1, 0, 2).contiguous(); });
  run("permute(0, 2, 1, 3)", z, [&] { z = x.permute(0, 2, 1, 3).contiguous(); });
  run("permute(0, 2, 3, 1)", z, [&] { z = x.permute(0, 2, 3, 1).contiguous(); });
  const Gpu y = values({4000, 5000});
  run("transpose, 4000 x 5000", z, [&] { z = y.transpose(0, 1).contiguous(); });
  run("transpose + 1, 4000 x 5000", z, [&] { z = y.transpose(0, 1) + 1; });
  Half h;
  const Half half = cast<bfloat16>(values({8000, 8192}));
  run("transpose, bf16, 8000 x 8192", h, [&] { h = half.transpose(0, 1).contiguous(); });
}

void rows() {
  Gpu z;
  for (const int length : {8, 33, 64, 100, 256}) {
    const Gpu x = values({(1 << 25) / length, length});
    const Gpu w = values({length});
    const std::string of = ", rows of " + std::to_string(length);
    run(("rms_norm" + of).c_str(), z,
        [&] { z = x * rsqrt(mean(square(x), last, keepdims) + 1e-6F) * w; });
    run(("masked softmax" + of).c_str(), z, [&] { z = softmax(where(x > -1, x, -1e9F), last); });
  }
  for (const int length : {1252, 4096, 8192, 32768}) {
    const Gpu x = values({(1 << 26) / length, length});
    const Gpu w = values({length});
    const std::string of = ", rows of " + std::to_string(length);
    run(("layer_norm" + of).c_str(), z, [&] { z = layer_norm(x, w, w); });
    run(("masked softmax" + of).c_str(), z, [&] { z = softmax(where(x > -1, x, -1e9F), last); });
    run(("entropy" + of).c_str(), z,
        [&] { z = -sum(softmax(x, last) * log_softmax(x, last), last); });
  }
  const Gpu x = values({8, 1 << 21});
  run("softmax over an axis of 8", z, [&] { z = softmax(x, axis(0)); });
  const Gpu y = values({2000, 8192});
  run("softmax over axis 0, 2000 x 8192", z, [&] { z = softmax(y, axis(0)); });
}

void reductions() {
  Gpu z;
  {
    const Gpu x = values({366948, 197});
    run("column sums, 366948 x 197", z, [&] { z = sum(x, axis(0)); });
    run("row sums, 366948 x 197", z, [&] { z = sum(x, last); });
  }
  for (const int length : {16, 64, 200}) {
    const Gpu x = values({(1 << 26) / length, length});
    run(("row sums, rows of " + std::to_string(length)).c_str(), z, [&] { z = sum(x, last); });
  }
  const Gpu x = values({8192, 8192});
  run("column sums, 8192 x 8192", z, [&] { z = sum(x, axis(0)); });
  run("column maxima of x * x, 8192 x 8192", z, [&] { z = max(x * x, axis(0)); });
  const Gpu y = values({64, 1024, 1024});
  run("sum over the middle axis", z, [&] { z = sum(y, axis(1)); });
  const Gpu images = values({64, 128, 56, 56});
  run("mean over (0, 2, 3)", z, [&] { z = mean(images, axis(0, 2, 3)); });
}

/// What a small statement takes the host where no tuner is asked, and where its choice is known.
void overhead() {
  const Gpu x = values({1000});
  Gpu z = x + 1;
  (void)cuda::tune([&] { z = x + 1; });
  const cuda::Tuner* const tuner = cuda::detail::tuner;
  double fastest[2] = {1, 1};
  for (int i = 0; i < 10; ++i) {
    cuda::detail::tuner = i % 2 == 1 ? tuner : nullptr;
    cuda::synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 500; ++k) z = x + 1;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    fastest[i % 2] = std::min(fastest[i % 2], time.count() / 500);
  }
  cuda::detail::tuner = tuner;
  std::printf("a small statement takes the host %.2f us, and %.2f us where its choice is known\n",
              1e6 * fastest[0], 1e6 * fastest[1]);
}

}  // namespace

int main() {
  if (!cuda::is_available()) return 77;
  std::printf("%-34s %8s %8s\n", "statement", "planned", "tuned");
  elementwise();
  copies();
  rows();
  reductions();
  overhead();
  std::printf("%d statements, geometric mean %.3f, %d with other bits\n", statements,
              std::pow(ratios, 1.0 / statements), wrong);
  return wrong == 0 ? 0 : 1;
}
