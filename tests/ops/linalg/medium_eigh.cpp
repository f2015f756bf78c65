// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/medium_eigh.hpp>

#include "linear_algebra.hpp"

using test::off;
using weft::Cpu;
using weft::Tensor;

namespace {

/// {w, v} by columns, computed as a block of threads does, one after the other in each step; and
/// the sweeps it took.
template <class T>
int compute(const Tensor<T, Cpu>& a, const Tensor<weft::real_t<T>, Cpu>& w, const Tensor<T, Cpu>& v,
            int threads) {
  using R = weft::real_t<T>;
  using Eigh = weft::linalg::MediumEigh<T>;
  const int n = static_cast<int>(w.size());
  std::vector<T> room(static_cast<std::size_t>(Eigh::bytes(n)) / sizeof(T) + 1);
  const Eigh x(n, threads, true, room.data());
  R largest = 0;
  for (int me = 0; me < threads; ++me) largest = std::max(largest, x.read(me, a.data()));
  const R factor = largest > 0 ? largest : R(1);
  R total = 0;
  for (int me = 0; me < threads; ++me) total += x.scale(me, 1 / factor);
  int sweep = 0;
  for (; sweep < 30; ++sweep) {
    R outside = 0;
    for (int me = 0; me < threads; ++me) outside += x.outside(me);
    if (!(outside > total * Eigh::epsilon * Eigh::epsilon * R(0.01))) break;
    for (int step = 0; step < x.steps(); ++step) {
      for (int me = 0; me < threads; ++me) x.choose(me, step);
      for (int me = 0; me < threads; ++me) x.turn_columns(me);
      for (int me = 0; me < threads; ++me) x.turn_rows(me);
    }
  }
  for (int me = threads - 1; me >= 0; --me) x.write(me, factor, w.data(), v.data());
  return sweep;
}

template <class T>
void check(const Tensor<T, Cpu>& a, int threads) {
  using R = weft::real_t<T>;
  const std::int64_t n = a.shape()[0];
  CAPTURE(n);
  CAPTURE(threads);
  const Tensor<T, Cpu> lower = weft::linalg::lower(a).t().contiguous();  // by columns
  const auto w = weft::empty<R>({n}, Cpu{});
  const auto memory = weft::empty<T>({n, n}, Cpu{});
  CHECK(compute(lower, w, memory, threads) < 12);
  const Tensor<T, Cpu> v = memory.t();
  const double close = sizeof(R) == 4 ? 4e-6 : 1e-14;
  CHECK(off(matmul(weft::linalg::adjoint(v), v), weft::eye<T>(n)) < close);
  CHECK(off(v * weft::cast<T>(w.unsqueeze(0)), matmul(a, v)) < close);
  if (n > 1) CHECK(min(w.narrow(0, 1, n - 1) - w.narrow(0, 0, n - 1)).item() >= 0);
}

}  // namespace

TEST_CASE("rotations of all rows at once: A V = V w") {
  for (const std::int64_t n : {1, 2, 5, 8, 13, 16, 31, 32}) {
    for (const int threads : {32, 128}) {
      check(test::definite_matrices<float, Cpu>({n, n}), threads);
      check(test::definite_matrices<weft::complex<double>, Cpu>({n, n}), threads);
    }
  }
  check(weft::eye<double>(7), 32);
  check(weft::zeros<double>({6, 6}), 32);
  check<double>(weft::ones<double>({32, 32}), 128);
  check<float>(weft::ones<float>({20, 20}) * 1e30F, 64);
}
