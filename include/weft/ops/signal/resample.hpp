// resample(x, count): a signal at other places, by its Fourier series.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/signal/fft.hpp"

namespace weft {

namespace op {
/// `scale`, and at place `at` times `factor`.
template <class T>
struct scaled_but_one {
  using result_type = complex<T>;
  static constexpr const char* text = "scaled_but_one";
  long long at;
  double scale;
  double factor;
  WEFT_HD complex<T> value(long long i) const {
    return complex<T>(static_cast<T>(i == at ? scale * factor : scale));
  }
};
}  // namespace op

/// x, taken to be periodic, at `count` evenly spaced points starting at its first element: SciPy's
/// signal.resample. Frequencies that both lengths have are kept.
template <ExpressionLike X>
auto resample(const X& x, int64_t count, int64_t axis_of = -1) {
  using Check = detail::OperandCheck<fourier::Real, X>;
  if constexpr (Check::report()) {
    using T = compute_t<typename Check::element>;
    const int at = normalize_axis("resample", axis_of, x.rank());
    const int64_t n = x.shape()[at];
    if (n < 1 || count < 1) {
      fail<ShapeError>("resample", n, " elements to ", count, ", expected at least 1 each");
    }
    const int64_t shared = n < count ? n : count;
    const auto spectrum = rfft(x, {.axis = at});
    // The highest frequency of an even length stands for itself and its negative.
    const bool halves = shared % 2 == 0 && n != count;
    const op::scaled_but_one<T> f{halves ? shared / 2 : -1,
                                  static_cast<double>(count) / static_cast<double>(n),
                                  count < n ? 2.0 : 0.5};
    Shape along;
    for (int i = 0; i < x.rank(); ++i) along.push_back(i == at ? shared / 2 + 1 : 1);
    const auto kept = spectrum.narrow(at, 0, shared / 2 + 1) * generated(along, f);
    return irfft(kept, {.n = count, .axis = at});
  } else {
    return typename Check::first{};
  }
}

}  // namespace weft
