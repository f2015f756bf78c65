// SPDX-License-Identifier: Apache-2.0
#include <weft/track/axis_scale.hpp>

#include "test.hpp"

using weft::track::AxisScale;

static std::string ticks(const AxisScale& axis) {
  std::string out;
  for (const double tick : axis.ticks()) out += axis.text(tick) + " ";
  return out;
}

TEST_CASE("round numbers about five to an axis") {
  CHECK((ticks(AxisScale(0, 100, false, false)) == "0 20 40 60 80 100 "));
  CHECK((ticks(AxisScale(0.13, 0.87, false, true)) == "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 "));
  CHECK((ticks(AxisScale(-0.3, 0.3, false, false)) == "-0.3 -0.2 -0.1 0 0.1 0.2 0.3 "));
  CHECK((ticks(AxisScale(1, 12, false, false)) == "2 4 6 8 10 12 "));
  CHECK((ticks(AxisScale(2e-5, 0.5, true, true)) == "1e-05 0.0001 0.001 0.01 0.1 1 "));
}

TEST_CASE("places") {
  const AxisScale axis(0, 50, false, false);
  CHECK(axis.place(0) == 0);
  CHECK(axis.place(25) == 0.5);
  CHECK(axis.place(50) == 1);
  const AxisScale powers(1, 100, true, false);
  CHECK(powers.place(10) == doctest::Approx(0.5));
}

TEST_CASE("one number gets an axis around it") {
  for (const double x : {0.0, 3.0, -1e6, 1e-8}) {
    const AxisScale axis(x, x, false, true);
    CHECK(axis.place(x) > 0);
    CHECK(axis.place(x) < 1);
    CHECK(axis.ticks().size() >= 2);
  }
  CHECK(AxisScale(5, 5, true, true).place(5) > 0);
}
