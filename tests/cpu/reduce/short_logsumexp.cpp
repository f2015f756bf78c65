// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/reduce/short_logsumexp.hpp>

#include <cmath>

#include "test.hpp"
#include "weft/weft.hpp"

using weft::axis;

TEST_CASE_TEMPLATE("rows of any length, more than are taken at a time", T, float, double) {
  for (std::int64_t m = 1; m < 50; ++m) {
    CAPTURE(m);
    const auto x = eval(weft::cast<T>(8 * weft::randn<double>(700, m)));
    const auto y = logsumexp(x, axis(1)).eval();
    const auto computed = logsumexp(x * T(2) - x, axis(1)).eval();
    const auto turned = logsumexp(x.t().clone().t(), axis(1)).eval();
    double worst = 0;
    for (std::int64_t r = 0; r < 700; ++r) {
      long double max = -INFINITY, sum = 0;
      for (std::int64_t i = 0; i < m; ++i) max = std::max(max, static_cast<long double>(x(r, i)));
      for (std::int64_t i = 0; i < m; ++i) {
        sum += std::exp(static_cast<long double>(x(r, i)) - max);
      }
      const auto right = static_cast<double>(max + std::log(sum));
      for (const auto& found : {y, computed, turned}) {
        worst = std::max(worst, std::abs(static_cast<double>(found(r)) - right));
      }
    }
    CHECK(worst < (sizeof(T) == 4 ? 6e-6 : 2e-14));
  }
}

TEST_CASE_TEMPLATE("infinite elements, NaN, and far ones", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity();
  const T far = std::numeric_limits<T>::max();
  const T nan = weft::math::nan<T>;
  const auto x = weft::tensor<T>({-inf, -inf, -inf,  //
                                  inf,  T(1), T(2),  //
                                  T(1), inf,  -inf,  //
                                  nan,  T(1), T(2),  //
                                  T(1), T(2), nan,   //
                                  -inf, nan,  -inf,  //
                                  inf,  nan,  T(0),  //
                                  -inf, T(3), -inf,  //
                                  -far, -inf, -inf,  //
                                  far,  T(0), -far})
                     .reshape({10, 3})
                     .eval();
  const auto y = logsumexp(x, axis(1)).eval();
  CHECK(y(0) == -inf);
  CHECK(y(1) == inf);
  CHECK(y(2) == inf);
  for (int r : {3, 4, 5, 6}) CHECK(std::isnan(y(r).item()));
  CHECK(y(7) == T(3));
  CHECK(y(8) == -far);
  CHECK(y(9) == far);
  CHECK(logsumexp(weft::zeros<T>(4, 0), axis(1)).eval()(3) == -inf);
}
