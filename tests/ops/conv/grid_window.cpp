#include "weft/ops/conv/grid_window.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a coordinate outside is brought inside as the padding says") {
  sampling::Window<double> w;
  w.in[2] = 4;
  const auto padded = [&](double at) {
    double slope = 1;
    const double inside = w.padded(2, at, slope);
    return std::pair(inside, slope);
  };
  CHECK(padded(-2.25) == std::pair(-2.25, 1.0));
  w.padding = GridPadding::border;
  CHECK(padded(-2.25) == std::pair(0.0, 0.0));
  CHECK(padded(3.5) == std::pair(3.0, 0.0));
  w.padding = GridPadding::reflection;  // in mirrors at -0.5 and 3.5
  CHECK(padded(-1.25) == std::pair(0.25, -1.0));
  CHECK(padded(4.25) == std::pair(2.75, -1.0));
  CHECK(padded(8.75) == std::pair(0.75, 1.0));
  w.align_corners = true;  // at 0 and 3
  CHECK(padded(-1.25) == std::pair(1.25, -1.0));
  CHECK(padded(7.25) == std::pair(1.25, 1.0));
}

TEST_CASE("weights add up to 1, slopes to 0, and no number is outside") {
  for (const auto kind : {Interpolation::linear, Interpolation::cubic}) {
    sampling::Window<double> w;
    w.in[2] = 7;
    w.kind = kind;
    const auto t = w.taps(2, 0.13);
    double weights = 0;
    double slopes = 0;
    for (int k = 0; k < t.count; ++k) {
      weights += t.weight[k];
      slopes += t.slope[k];
    }
    CHECK(weights == doctest::Approx(1));
    CHECK(slopes == doctest::Approx(0));
    CHECK(w.taps(2, std::nan("")).index[0] == -1);
    CHECK(w.taps(2, 1e30).index[1] == -1);
  }
}
