// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/reduce/moments.hpp>

#include <cmath>

#include "array.hpp"

#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#endif

using weft::axis;

namespace {
/// n values around `mean`, and their variance in double.
std::vector<float> around(double mean, std::int64_t n, double& variance) {
  std::vector<float> values;
  test::Numbers numbers;
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    values.push_back(static_cast<float>(mean + numbers.uniform(-1.7320508, 1.7320508)));
    sum += values.back();
  }
  variance = 0;
  for (float v : values) {
    const double distance = v - sum / static_cast<double>(n);
    variance += distance * distance / static_cast<double>(n - 1);
  }
  return values;
}
}  // namespace

TEST_CASE("values that join together count as one by one") {
  using Var = weft::reducer::var;
  const double x[6] = {3, -2, 4, 1e3, 0, 7};
  Var::State<double> together{};
  Var::State<double> apart{};
  Var::add(together, 5.0, 0);
  Var::add(apart, 5.0, 0);
  Var::add_all<1>(together, x, 0, 1);
  for (double v : x) Var::add(apart, v, 0);
  CHECK(together.count == apart.count);
  CHECK(together.mean == doctest::Approx(apart.mean).epsilon(1e-14));
  CHECK(together.m2 == doctest::Approx(apart.m2).epsilon(1e-14));
  const double large[2] = {1e300, 1e300};
  Var::State<double> equal{};
  Var::add_all<1>(equal, large, 0, 1);
  CHECK(equal.m2 == 0);
}

namespace {
/// A thread beside another that has the same state.
struct BesideItself {
  WEFT_HD static double first(double x) { return x; }
  WEFT_HD static double sum(double x) { return 2 * x; }
};
/// The second of two threads, the first of which has {2, 3, 1}.
struct BesideFirst {
  mutable int at = 0;
  WEFT_HD static double first(double) { return 3; }
  WEFT_HD double sum(double x) const {
    constexpr double others[] = {2, 0, 1 + 2 * 1.0};
    return x + others[at++];
  }
};
}  // namespace

TEST_CASE("states of several threads as one") {
  using Var = weft::reducer::var;
  Var::State<double> s{4, 1e6, 3};
  Var::merge_among(s, BesideItself{});
  CHECK(s.count == 8);
  CHECK(s.mean == 1e6);
  CHECK(s.m2 == 6);
  Var::State<double> apart{2, 5, 1};
  Var::merge_among(apart, BesideFirst{});
  CHECK(apart.count == 4);
  CHECK(apart.mean == 4);
  CHECK(apart.m2 == 6);
  Var::State<double> none{};
  Var::merge_among(none, BesideItself{});
  CHECK(none.count == 0);
  CHECK(none.m2 == 0);
  CHECK(none.mean == 0);
}

TEST_CASE_TEMPLATE("variance beside a large mean", D, TEST_DEVICES) {
  for (std::int64_t n : {1000, 100'003}) {
    double variance = 0;
    const auto values = around(1e4, n, variance);
    const auto x = weft::tensor(values, {n}, D{});
    CHECK(var(x).item() == doctest::Approx(variance).epsilon(1e-4));
    const auto columns = weft::zeros({n, 12}, D{});
    columns(weft::all, 5) = x;
    CHECK(var(columns, axis(0)).eval()(5).item() == doctest::Approx(variance).epsilon(1e-4));
    CHECK(stddev(x).item() == doctest::Approx(std::sqrt(variance)).epsilon(1e-4));
  }
}
