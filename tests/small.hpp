// Inputs and references of the tests of Small: numbers from a formula, loops by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "weft/small.hpp"

namespace test {

/// n elements of S with numbers in (-1, 1), matrices with `diagonal` added to theirs; each seed
/// gives others.
template <class S, class D>
weft::Tensor<S, D> smalls(long n, unsigned seed, double diagonal = 0) {
  std::vector<S> elements(static_cast<std::size_t>(n));
  unsigned state = seed * 2654435761U + 1;
  for (S& x : elements) {
    for (int k = 0; k < S::count; ++k) {
      state = state * 1664525U + 1013904223U;
      const double number = static_cast<double>(state >> 8) / (1 << 23) - 1;
      const bool on_diagonal = S::columns > 1 && k / S::columns == k % S::columns;
      x[k] = static_cast<typename S::number>(number + (on_diagonal ? diagonal : 0));
    }
  }
  return weft::tensor(elements).to(D{});
}

/// The elements of an expression, on the host.
template <class E>
auto elements(const E& e) {
  using T = typename E::value_type;
  const weft::Tensor<T, weft::Cpu> x = e.eval().to(weft::Cpu{}).contiguous();
  return std::vector<T>(x.data(), x.data() + x.size());
}

/// The largest difference between numbers of two lists of elements, which are as many.
template <class S>
double difference(const std::vector<S>& x, const std::vector<S>& y) {
  double most = x.size() == y.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if constexpr (weft::is_small<S>) {
      for (int k = 0; k < S::count; ++k) {
        const double d = std::fabs(static_cast<double>(x[i][k]) - static_cast<double>(y[i][k]));
        most = d <= most ? most : d;
      }
    } else {
      const double d = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
      most = d <= most ? most : d;
    }
  }
  return most;
}

}  // namespace test
