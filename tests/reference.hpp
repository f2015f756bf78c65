// Yardsticks of the numerical tests: errors in ulp, and derivatives by finite differences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace test {

/// How far `got` is from `expected`, in units of the last place of a T of that size.
template <class T>
double ulps(T got, long double expected) {
  const long double value = static_cast<long double>(got);
  if (std::isnan(expected) || std::isnan(value)) {
    return std::isnan(expected) && std::isnan(value) ? 0 : INFINITY;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (got == static_cast<T>(expected)) return 0;
  } else {  // the half types
    if (got == static_cast<T>(static_cast<double>(expected))) return 0;
  }
  if (std::isinf(value) || std::isinf(expected)) return INFINITY;
  const int digits = std::numeric_limits<T>::digits;
  int exponent = expected == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(expected) + 1;
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return static_cast<double>(std::fabs(value - expected) / std::ldexp(1.0L, exponent - digits));
}

/// The largest error met so far and where.
struct Worst {
  double error = 0;
  double at = 0;
  double also = 0;

  void operator()(double new_error, double x, double y = 0) {
    if (!(new_error <= error)) *this = {new_error, x, y};
  }
};

/// The derivative of f at x, by a central difference with one step of extrapolation.
template <class F>
long double slope(F f, long double x) {
  const long double h = 1e-4L * std::max(1e-2L, std::fabs(x));
  const long double coarse = (f(x + h) - f(x - h)) / (2 * h);
  const long double fine = (f(x + h / 2) - f(x - h / 2)) / h;
  return (4 * fine - coarse) / 3;
}

/// Reproducible numbers without a library's distribution.
struct Numbers {
  std::uint64_t state = 88172645463325252U;

  std::uint64_t bits() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
};

}  // namespace test
