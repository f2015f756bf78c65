// Statements on the CPU, small and larger than the caches.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "weft/weft.hpp"

using weft::Tensor;

namespace {

Tensor<float> inputs(const weft::Shape& shape, float step) {
  return sin(weft::arange<float>(static_cast<float>(shape.size())) * step).eval().reshape(shape);
}

/// Runs the statement; an element of the case moves that many bytes.
template <class F>
void run(benchmark::State& state, int bytes, const F& statement) {
  for (auto _ : state) {
    statement();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * bytes);
}

void copy(benchmark::State& state) {
  const auto x = inputs({state.range(0)}, 0.37F);
  const auto y = weft::empty({state.range(0)});
  run(state, 8, [&] { y.assign(x); });
}

void axpy(benchmark::State& state) {
  const auto x = inputs({state.range(0)}, 0.37F);
  Tensor y = inputs({state.range(0)}, 0.11F);
  run(state, 12, [&] { y = 0.75F * x + y; });
}

void chain(benchmark::State& state) {
  const auto x = inputs({state.range(0)}, 0.37F);
  const auto y = inputs({state.range(0)}, 0.11F);
  auto z = weft::empty({state.range(0)});
  run(state, 12, [&] { z = tanh(x * y + 0.3F) * exp(-x * x) + 0.5F; });
}

void bnorm(benchmark::State& state) {
  const weft::int64_t width = 1024;
  const auto x = inputs({state.range(0) / width, width}, 0.37F);
  const auto mean = inputs({width}, 0.11F);
  const Tensor variance = square(inputs({width}, 0.07F));
  const auto weight = inputs({width}, 0.05F);
  const auto bias = inputs({width}, 0.03F);
  auto y = weft::empty(x.shape());
  run(state, 8, [&] { y = (x - mean) * rsqrt(variance + 1e-5F) * weight + bias; });
}

void sum(benchmark::State& state) {
  const auto x = inputs({state.range(0)}, 0.37F);
  auto z = weft::empty({});
  run(state, 4, [&] { z = sum(x); });
}

BENCHMARK(copy)->Arg(1024)->Arg(1 << 22);
BENCHMARK(axpy)->Arg(1024)->Arg(1 << 22);
BENCHMARK(chain)->Arg(1024)->Arg(1 << 22);
BENCHMARK(bnorm)->Arg(1024)->Arg(1 << 22);
BENCHMARK(sum)->Arg(1024)->Arg(1 << 22);

}  // namespace

BENCHMARK_MAIN();
