#include "weft/optim/line_search.hpp"

#include "test.hpp"

using namespace weft;

namespace {
using Point = optim::SearchPoint<int>;

/// Searches the line of f with slope df from t, and says how often f was called.
template <class F, class G>
std::pair<Point, int> search(const F& f, const G& df, double t) {
  int calls = 0;
  const auto at = [&](double x) {
    ++calls;
    return Point{x, f(x), df(x)};
  };
  const Point from{0, f(0), df(0)};
  const Point found = optim::strong_wolfe(at, from, t, 1.0);
  CHECK(found.value <= from.value + 1e-4 * found.t * from.slope);
  CHECK(std::abs(found.slope) <= 0.9 * std::abs(from.slope));
  return {found, calls};
}
}  // namespace

TEST_CASE("a point of the strong Wolfe conditions is found from any first step") {
  const auto f = [](double x) { return (x - 2) * (x - 2); };
  const auto df = [](double x) { return 2 * (x - 2); };
  CHECK(search(f, df, 1).second == 1);  // good enough at once
  for (const double t : {1e-3, 0.1, 3.9, 50.0, 1e6}) {
    CAPTURE(t);
    CHECK(search(f, df, t).second < 15);
  }
  const auto wave = [](double x) { return std::cos(x) - 0.05 * x; };
  const auto slope = [](double x) { return -std::sin(x) - 0.05; };
  for (const double t : {0.01, 1.0, 7.0, 30.0}) {
    CAPTURE(t);
    search(wave, slope, t);
  }
}

TEST_CASE("the best point is given where none suffices") {
  const auto at = [](double x) { return Point{x, -x, -1}; };  // falls for ever
  const Point found = optim::strong_wolfe(at, Point{0, 0, -1}, 1, 1.0, {.most = 5});
  CHECK(found.t > 1);
}
