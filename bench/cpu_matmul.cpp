// Matrix products on the CPU: weft's own loops, weft with the BLAS it is linked to, Eigen.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "weft/weft.hpp"

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif

namespace {

template <class T>
weft::Tensor<T> inputs(weft::int64_t n, double step) {
  return weft::cast<T>(sin(weft::arange<double>(static_cast<double>(n * n)) * step))
      .eval()
      .reshape({n, n});
}

template <class F>
void run(benchmark::State& state, const F& statement) {
  for (auto _ : state) {
    statement();
    benchmark::ClobberMemory();
  }
  const auto n = static_cast<double>(state.range(0));
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void own_loops(benchmark::State& state) {
  const weft::int64_t n = state.range(0);
  const auto x = inputs<T>(n, 0.37);
  const auto y = inputs<T>(n, 0.11);
  const auto z = weft::empty<T>({n, n});
  const auto plan = weft::detail::plan_product(x.layout(), y.layout(), z.layout(), nullptr);
  run(state, [&] { weft::cpu::gemm<T>({plan, x.data(), y.data(), z.data(), T(1), false}); });
}

template <class T>
void matmul(benchmark::State& state) {
  const auto x = inputs<T>(state.range(0), 0.37);
  const auto y = inputs<T>(state.range(0), 0.11);
  weft::Tensor<T> z = weft::empty<T>(x.shape());
  run(state, [&] { z = weft::matmul(x, y); });
}

/// relu(x y + b): with an epilogue that BLAS does not have.
template <class T>
void matmul_relu(benchmark::State& state) {
  const auto x = inputs<T>(state.range(0), 0.37);
  const auto y = inputs<T>(state.range(0), 0.11);
  const weft::Tensor<T> b = x(0);
  weft::Tensor<T> z = weft::empty<T>(x.shape());
  run(state, [&] { z = relu(weft::matmul(x, y) + b); });
}

#if __has_include(<Eigen/Core>)
template <class T>
void eigen(benchmark::State& state) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(state.range(0));
  const auto x = inputs<T>(state.range(0), 0.37);
  const auto y = inputs<T>(state.range(0), 0.11);
  const Matrix a = Eigen::Map<const Matrix>(x.data(), n, n);
  const Matrix b = Eigen::Map<const Matrix>(y.data(), n, n);
  Matrix c(n, n);
  run(state, [&] { c.noalias() = a * b; });
}
BENCHMARK_TEMPLATE(eigen, float)->Arg(64)->Arg(256)->Arg(1024)->UseRealTime();
BENCHMARK_TEMPLATE(eigen, double)->Arg(1024)->UseRealTime();
#endif
BENCHMARK_TEMPLATE(own_loops, float)->Arg(64)->Arg(256)->Arg(1024)->UseRealTime();
BENCHMARK_TEMPLATE(own_loops, double)->Arg(1024)->UseRealTime();
BENCHMARK_TEMPLATE(matmul, float)->Arg(8)->Arg(64)->Arg(256)->Arg(1024)->UseRealTime();
BENCHMARK_TEMPLATE(matmul, double)->Arg(1024)->UseRealTime();
BENCHMARK_TEMPLATE(matmul_relu, float)->Arg(64)->Arg(1024)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
