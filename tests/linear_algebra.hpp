// What the tests of linear algebra share: matrices to start from, and how far results are off.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrices.hpp"

#ifdef __CUDACC__
#include "weft/cuda/linalg.hpp"
#endif
#include "weft/linalg.hpp"

namespace test {

/// Small integers, on the diagonal `more` of them.
template <class T, class D>
weft::Tensor<T, D> some_matrices(const weft::Shape& shape, double more = 0, unsigned seed = 1) {
  Random r(seed);
  const weft::Tensor<T, D> x = small_numbers<T>(r, shape).on(D{});
  const auto one = weft::eye<T>(shape[shape.rank() - 2], shape[shape.rank() - 1], D{});
  return x + one * T(static_cast<weft::real_t<T>>(more));
}

/// A A^H + 1: symmetric and positive definite.
template <class T, class D>
weft::Tensor<T, D> definite_matrices(const weft::Shape& shape, unsigned seed = 1) {
  const auto x = some_matrices<T, D>(shape, 0, seed);
  return matmul(x, weft::linalg::adjoint(x)) + weft::eye<T>(shape[shape.rank() - 1], D{});
}

/// The largest difference of elements, over the largest element of y or 1.
template <class X, class Y>
double off(const X& x, const Y& y) {
  const auto a = x.eval().to(weft::Cpu{});
  const auto b = y.eval().to(weft::Cpu{});
  REQUIRE(a.shape() == b.shape());
  if (a.size() == 0) return 0;
  const auto difference = static_cast<double>(max(abs(a - b)).item());
  const auto size = static_cast<double>(max(abs(b)).item());
  return difference / (size > 1 ? size : 1);
}

template <class T>
inline constexpr double close_enough = sizeof(weft::real_t<T>) == 4 ? 2e-4 : 1e-11;

}  // namespace test
