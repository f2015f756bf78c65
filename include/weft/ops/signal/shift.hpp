// fftfreq, rfftfreq, fftshift, ifftshift: the frequencies of a spectrum, and 0 in its middle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

namespace op {
/// (i, or i - n from `middle` on) / (n spacing).
template <class T>
struct frequency {
  using result_type = T;
  static constexpr const char* text = "frequency";
  long long n;
  long long middle;
  double unit;
  WEFT_HD compute_t<T> value(long long i) const {
    return static_cast<compute_t<T>>(static_cast<double>(i < middle ? i : i - n) * unit);
  }
};
}  // namespace op

namespace fourier {
/// 1 / (n spacing), or an error.
inline double frequency_unit(const char* operation, int64_t n, double spacing) {
  if (n < 1 || !(spacing > 0)) {
    fail<ValueError>(operation, n, " elements, ", spacing, " apart, expected positive numbers");
  }
  return 1 / (static_cast<double>(n) * spacing);
}

/// x rolled by half of each axis, up or down.
template <class X>
X turned(const char* operation, X x, const Axes& axes, bool up) {
  for (int i = 0; i < (axes.rank() > 0 ? axes.rank() : x.rank()); ++i) {
    const int at = axes.rank() > 0 ? normalize_axis(operation, axes[i], x.rank()) : i;
    const int64_t n = x.shape()[at];
    const int64_t first = up ? (n + 1) / 2 : n / 2;
    if (first == 0 || first == n) continue;
    const std::vector<X> parts{x.narrow(at, first, n - first), x.narrow(at, 0, first)};
    x = cat(parts, axis(at));
  }
  return x;
}
}  // namespace fourier

/// The frequencies of the elements of an fft of n samples that are `spacing` apart, in cycles per
/// unit of spacing: 0, 1, ..., then the negative ones, divided by n spacing.
template <class T = float, Device D = Cpu>
Tensor<T, D> fftfreq(int64_t n, double spacing = 1, D device = {}) {
  static_assert(is_floating<T>, "weft: fftfreq makes floating-point numbers");
  const double unit = fourier::frequency_unit("fftfreq", n, spacing);
  return detail::on<T>(generated({n}, op::frequency<T>{n, (n + 1) / 2, unit}), device);
}
/// The frequencies of the elements of an rfft of n samples: 0 to n / 2, divided by n spacing.
template <class T = float, Device D = Cpu>
Tensor<T, D> rfftfreq(int64_t n, double spacing = 1, D device = {}) {
  static_assert(is_floating<T>, "weft: rfftfreq makes floating-point numbers");
  const double unit = fourier::frequency_unit("rfftfreq", n, spacing);
  return detail::on<T>(generated({n / 2 + 1}, op::frequency<T>{n, n, unit}), device);
}

/// A spectrum with frequency 0 moved to the middle of the given axes, by default all.
template <ExpressionLike X>
auto fftshift(const X& x, const Axes& axes = {}) {
  return fourier::turned("fftshift", detail::as_tensor(x), axes, true);
}
/// The inverse of fftshift.
template <ExpressionLike X>
auto ifftshift(const X& x, const Axes& axes = {}) {
  return fourier::turned("ifftshift", detail::as_tensor(x), axes, false);
}

}  // namespace weft
