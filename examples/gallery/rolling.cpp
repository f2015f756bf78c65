// Rolling windows over a time series: mean, deviation, maximum, and outliers replaced.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

/// The windows of `length` neighbours, (window, length): a view, nothing is copied.
Tensor<float> windows(const Tensor<float>& x, int64_t length) {
  return borrow(x.data(), {x.size() - length + 1, length}, {1, 1});
}

int main() {
  manual_seed(6);
  Tensor x = sin(arange(500) * 0.05) + 0.05 * randn(500);
  x[tensor({100, 250, 400})] = 5;

  Tensor w = windows(x, 21);
  Tensor centre = mean(w, axis(1));
  Tensor spread = stddev(w, axis(1));
  auto [highest, where_] = max(w, axis(1));
  std::cout << "highest of any window " << max(highest) << "\n";

  auto middle = x(slice(10, -10));
  Tensor outlier = abs(middle - centre) > 3 * spread;
  std::cout << "outliers at " << (nonzero(outlier).flatten() + 10) << "\n";
  middle[outlier] = centre[outlier];

  // The sum of a window from differences of running sums.
  Tensor running = cumsum(cast<double>(x));
  auto quick = (running(slice(21, none)) - running(slice(0, -21))) / 21;
  bool same =
      allclose(quick, cast<double>(mean(windows(x, 21)(slice(1, none)), axis(1))), {.atol = 1e-4});
  return same && sum(outlier) == 3 && max(x) < 2 ? 0 : 1;
}
