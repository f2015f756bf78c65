// hann_window, hamming_window, blackman_window, bartlett_window, kaiser_window, gaussian_window.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/generate.hpp"

namespace weft {

/// How a window ends: `periodic`, as if its first element came next, for spectra, or symmetric, for
/// filters (SciPy's sym = True).
enum class WindowEnd { periodic, symmetric };

namespace op {
/// a - b cos(2 pi i / m) + c cos(4 pi i / m).
template <class T>
struct cosine_window {
  using result_type = T;
  static constexpr const char* text = "cosine_window";
  double m;
  double a;
  double b;
  double c;
  WEFT_HD compute_t<T> value(long long i) const {
    const double angle = 6.283185307179586 * static_cast<double>(i) / m;
    const double v = a - b * math::cos(angle) + (c == 0 ? 0 : c * math::cos(2 * angle));
    return static_cast<compute_t<T>>(v);
  }
};

/// 1 in the middle and 0 at the ends, straight between.
template <class T>
struct bartlett_window {
  using result_type = T;
  static constexpr const char* text = "bartlett_window";
  double m;
  WEFT_HD compute_t<T> value(long long i) const {
    return static_cast<compute_t<T>>(1 - math::abs(2 * static_cast<double>(i) / m - 1));
  }
};

template <class T>
struct gaussian_window {
  using result_type = T;
  static constexpr const char* text = "gaussian_window";
  double m;
  double deviation;
  WEFT_HD compute_t<T> value(long long i) const {
    const double x = (static_cast<double>(i) - m / 2) / deviation;
    return static_cast<compute_t<T>>(math::exp(-0.5 * x * x));
  }
};

template <class T>
struct kaiser_window {
  using result_type = T;
  static constexpr const char* text = "kaiser_window";
  double m;
  double beta;
  WEFT_HD compute_t<T> value(long long i) const {
    const double x = 2 * static_cast<double>(i) / m - 1;
    const double inside = 1 - x * x;
    return static_cast<compute_t<T>>(i0(beta * math::sqrt(inside > 0 ? inside : 0)) / i0(beta));
  }
  /// The modified Bessel function of order 0 by its series, whose terms are all positive.
  WEFT_HD static double i0(double x) {
    const double square = 0.25 * x * x;
    double term = 1;
    double sum = 1;
    for (double k = 1; term > sum * 1e-17; ++k) {
      term *= square / (k * k);
      sum += term;
    }
    return sum;
  }
};
}  // namespace op

namespace fourier {
/// What the formulas divide by: one less for a symmetric window. One element is the middle.
inline double window_length(const char* operation, int64_t n, WindowEnd end) {
  if (n < 0) fail<ValueError>(operation, n, " elements, expected at least 0");
  return static_cast<double>(end == WindowEnd::periodic ? n : n - 1);
}
template <class T, class D, class F>
Tensor<T, D> window(int64_t n, const F& f, D device) {
  static_assert(is_floating<T>, "weft: windows have floating-point elements");
  if (n == 1) return full<T>({1}, compute_t<T>(1), device);
  return detail::on<T>(generated({n}, f), device);
}
}  // namespace fourier

/// The Hann window of n elements: 1/2 - cos(2 pi i / m) / 2, where m is n, or n - 1 if it is
/// symmetric.
template <class T = float, Device D = Cpu>
Tensor<T, D> hann_window(int64_t n, WindowEnd end = WindowEnd::periodic, D device = {}) {
  const double m = fourier::window_length("hann_window", n, end);
  return fourier::window<T>(n, op::cosine_window<T>{m, 0.5, 0.5, 0}, device);
}
/// 0.54 - 0.46 cos(2 pi i / m).
template <class T = float, Device D = Cpu>
Tensor<T, D> hamming_window(int64_t n, WindowEnd end = WindowEnd::periodic, D device = {}) {
  const double m = fourier::window_length("hamming_window", n, end);
  return fourier::window<T>(n, op::cosine_window<T>{m, 0.54, 0.46, 0}, device);
}
/// 0.42 - cos(2 pi i / m) / 2 + 0.08 cos(4 pi i / m).
template <class T = float, Device D = Cpu>
Tensor<T, D> blackman_window(int64_t n, WindowEnd end = WindowEnd::periodic, D device = {}) {
  const double m = fourier::window_length("blackman_window", n, end);
  return fourier::window<T>(n, op::cosine_window<T>{m, 0.42, 0.5, 0.08}, device);
}
/// A triangle: 1 - |2 i / m - 1|.
template <class T = float, Device D = Cpu>
Tensor<T, D> bartlett_window(int64_t n, WindowEnd end = WindowEnd::periodic, D device = {}) {
  const double m = fourier::window_length("bartlett_window", n, end);
  return fourier::window<T>(n, op::bartlett_window<T>{m}, device);
}
/// I0(beta sqrt(1 - (2 i / m - 1)^2)) / I0(beta); beta from 0 to 700.
template <class T = float, Device D = Cpu>
Tensor<T, D> kaiser_window(int64_t n, double beta, WindowEnd end = WindowEnd::periodic,
                           D device = {}) {
  if (!(beta >= 0 && beta <= 700)) {
    fail<ValueError>("kaiser_window", "beta ", beta, ", expected 0 to 700");
  }
  const double m = fourier::window_length("kaiser_window", n, end);
  return fourier::window<T>(n, op::kaiser_window<T>{m, beta}, device);
}
/// exp(-(i - m / 2)^2 / (2 deviation^2)).
template <class T = float, Device D = Cpu>
Tensor<T, D> gaussian_window(int64_t n, double deviation, WindowEnd end = WindowEnd::periodic,
                             D device = {}) {
  if (!(deviation > 0)) {
    fail<ValueError>("gaussian_window", "deviation ", deviation, ", expected more than 0");
  }
  const double m = fourier::window_length("gaussian_window", n, end);
  return fourier::window<T>(n, op::gaussian_window<T>{m, deviation}, device);
}

}  // namespace weft
