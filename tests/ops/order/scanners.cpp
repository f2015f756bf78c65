// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/scanners.hpp>

#include <cmath>

#include "test.hpp"

namespace scanner = weft::scanner;

TEST_CASE("a split double is its two floats' sum") {
  for (double x : {0.0, 1.0, 0.1, -123456789.123, 1e-30, 3e38}) {
    const scanner::SplitDouble split(x);
    CHECK(double{split.high} + double{split.low} == doctest::Approx(x).epsilon(1e-14));
    CHECK(scanner::after<scanner::cumsum>(split, 0.F) == static_cast<float>(x));
  }
  CHECK(std::signbit(scanner::after<scanner::cumsum>(scanner::SplitDouble(-0.0), -0.F)));
  CHECK(scanner::after<scanner::cumsum>(scanner::SplitDouble(1e39), -1.F) == INFINITY);
  CHECK(scanner::after<scanner::cumsum>(scanner::SplitDouble(-INFINITY), 1.F) == -INFINITY);
  CHECK(std::isnan(scanner::after<scanner::cumsum>(scanner::SplitDouble(NAN), 1.F)));
}

TEST_CASE("identities change nothing") {
  using scanner::cummax;
  using scanner::cummin;
  using scanner::cumprod;
  using scanner::cumsum;
  CHECK(std::signbit(cumsum::join(cumsum::identity<float>(), -0.F)));
  CHECK(cumsum::join(cumsum::identity<long>(), -5L) == -5);
  CHECK(cumprod::join(7.5, cumprod::identity<double>()) == 7.5);
  CHECK(cummax::join(cummax::identity<float>(), -INFINITY) == -INFINITY);
  CHECK(cummin::join(cummin::identity<int>(), INT32_MAX) == INT32_MAX);
  CHECK(cummax::join(cummax::identity<bool>(), false) == false);
  CHECK(std::isnan(cummin::join(cummin::identity<float>(), NAN)));
  CHECK(std::isnan(cummin::join(NAN, 1.F)));
  using State = scanner::logcumsumexp::State<float>;
  const State none = scanner::logcumsumexp::identity<State>();
  CHECK(scanner::logcumsumexp::finish(none) == -INFINITY);
  CHECK(scanner::logcumsumexp::finish(
            scanner::logcumsumexp::join(none, scanner::logcumsumexp::enter(3.F))) == 3);
}
