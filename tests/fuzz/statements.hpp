// What the programs of scripts/fuzz_statements.py are written with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <weft/arrays.hpp>
#include <weft/autograd.hpp>

#include "test.hpp"

namespace statements {

using namespace weft;

/// How a statement's parts are joined: all in one expression, or each evaluated by itself.
struct Whole {
  template <class E>
  static auto at(E e) {
    return e;
  }
};
struct Steps {
  template <class E>
  static auto at(const E& e) {
    if constexpr (detail::has_var<E>) {
      weft::Var value = e;
      return value;
    } else {
      Tensor value = e;
      return value;
    }
  }
};

/// Numbers from -1.5 to 1.5, or integers from -10 to 10, which the seed determines.
template <class T, class D>
Tensor<T, D> leaf(const Shape& shape, std::uint64_t seed, D device) {
  Tensor<double> x = zeros<double>(shape);
  std::uint64_t bits = seed * 2654435761U + 12345;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    bits ^= bits << 13U;
    bits ^= bits >> 7U;
    bits ^= bits << 17U;
    const double u = static_cast<double>(bits >> 11U) * 0x1p-53;
    x.data()[i] = std::is_integral_v<T> ? std::floor(u * 21) - 10 : 3 * u - 1.5;
  }
  Tensor<T> cast_to = cast<T>(x);
  return cast_to.to(device);
}

/// Whether no two elements of x share memory.
template <class X>
bool is_writable(const X& x) {
  for (int i = 0; i < x.rank(); ++i) {
    if (x.size(i) > 1 && x.strides()[i] == 0) return false;
  }
  return true;
}

/// Compares what should be equal but for rounding; differences count relative to the largest
/// element, or to what sums of such numbers round to where all are small.
template <class A, class B>
void check_same(const A& a, const B& b) {
  using T = std::remove_const_t<typename A::value_type>;
  constexpr bool half_precision = sizeof(T) == 2;
  constexpr double tolerance = std::is_integral_v<T>       ? 0
                               : std::is_same_v<T, double> ? 1e-9
                               : half_precision            ? 4e-2
                                                           : 3e-4;
  REQUIRE(a.shape() == b.shape());
  const Tensor<double> x = cast<double>(a.to(Cpu{})) + 0.0;
  const Tensor<double> y = cast<double>(b.to(Cpu{})) + 0.0;
  double scale = half_precision ? 0.5 : 1e-2;
  for (std::int64_t i = 0; i < y.size(); ++i) {
    if (std::isfinite(y.data()[i])) scale = std::max(scale, std::abs(y.data()[i]));
  }
  double worst = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double p = x.data()[i];
    const double q = y.data()[i];
    CHECK(std::isfinite(p) == std::isfinite(q));
    if (std::isfinite(p) && std::isfinite(q)) worst = std::max(worst, std::abs(p - q) / scale);
  }
  CHECK(worst <= tolerance);
}

/// Compares gradients, which both or neither have.
template <class V>
void check_same_gradient(const V& a, const V& b) {
  const auto has_gradient = [](const V& x) {
    try {
      (void)x.grad();
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  REQUIRE(has_gradient(a) == has_gradient(b));
  if (has_gradient(a)) check_same(Tensor(a.grad()), Tensor(b.grad()));
}

}  // namespace statements
