// Black-Scholes: a million options priced in two statements.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <cmath>
#include <iostream>

using namespace weft;

/// The normal distribution function.
auto cdf(const auto& x) { return 0.5 * (1 + erf(x / std::sqrt(2.0))); }

int main() {
  const int n = 1'000'000;
  Tensor price = 50 + 100 * rand(n);
  Tensor strike = 50 + 100 * rand(n);
  Tensor years = 0.25 + 2 * rand(n);
  const float rate = 0.03F;
  const float volatility = 0.3F;

  auto d1 = (log(price / strike) + (rate + 0.5 * volatility * volatility) * years) /
            (volatility * sqrt(years));
  auto d2 = d1 - volatility * sqrt(years);
  auto discounted = strike * exp(-rate * years);
  Tensor call = price * cdf(d1) - discounted * cdf(d2);
  Tensor put = discounted * cdf(-d2) - price * cdf(-d1);

  std::cout << "mean call " << mean(call) << ", mean put " << mean(put) << "\n";
  // Put-call parity.
  return allclose(call - put, price - discounted, {.atol = 1e-3}) && min(call) > -1e-3 ? 0 : 1;
}
