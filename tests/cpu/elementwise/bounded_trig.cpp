// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/bounded_trig.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "reference.hpp"
#include "test.hpp"

using weft::Apply;
using weft::Arg;
using weft::Constant;
using weft::Tensor;
using namespace weft::cpu::detail;

namespace {

struct Twice {
  WEFT_HD double operator()(double x) const { return 2 * x; }
};

bool same_bits(const Tensor<double>& a, const Tensor<double>& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * 8) == 0;
}

/// 1,200 angles; every `every`-th is beyond what vectors reduce.
Tensor<double> angles(std::int64_t every) {
  const Tensor<double> x = (weft::arange<double>(1200.0) - 600) * 1.37;
  for (std::int64_t i = 0; i < x.size(); i += every) x.at(i) = 1e15 + static_cast<double>(i);
  return x;
}

/// The greatest error of f(x) in ulp.
template <class F, class R>
double worst(const Tensor<double>& x, F f, R reference) {
  const Tensor<double> y = f(x);
  test::Worst worst;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    worst(test::ulps(y.at(i), reference(static_cast<long double>(x.at(i)))), x.at(i));
  }
  return worst.error;
}

}  // namespace

TEST_CASE("which programs look at their angles") {
  using X = Arg<1, double>;
  CHECK(looks_at_angles<Apply<weft::op::sin, X>>);
  CHECK(looks_at_angles<Apply<weft::op::add, Constant<double>, Apply<weft::op::tan, X>>>);
  CHECK_FALSE(looks_at_angles<Apply<weft::op::exp, X>>);
  CHECK_FALSE(looks_at_angles<Apply<weft::op::sin, Arg<1, float>>>);
  CHECK_FALSE(looks_at_angles<Apply<weft::op::sin, Apply<weft::op::mapped<Twice>, X>>>);
}

TEST_CASE("far angles change the bits of no other element") {
  const auto near = angles(5000);  // but the first
  for (std::int64_t every : {1, 2, 700}) {
    const auto far = angles(every);
    const auto check = [&](auto f) {
      const Tensor<double> alone = f(near);
      const Tensor<double> beside = f(far);
      int different = 0;
      for (std::int64_t i = 1; i < near.size(); ++i) {
        different += i % every != 0 && alone.at(i) != beside.at(i) ? 1 : 0;
      }
      return different;
    };
    CHECK(check([](const auto& x) { return sin(x) * 3 + cos(x + 1); }) == 0);
    CHECK(check([](const auto& x) { return tan(x) / 7; }) == 0);
    CHECK(check([](const auto& x) { return sin(cos(x) * 1e6); }) == 0);
    CHECK(worst(
              far, [](const auto& x) { return sin(x); },
              [](long double x) { return std::sin(x); }) <= 2);
    CHECK(worst(
              far, [](const auto& x) { return cos(x); },
              [](long double x) { return std::cos(x); }) <= 2);
    CHECK(worst(
              far, [](const auto& x) { return tan(x); },
              [](long double x) { return std::tan(x); }) <= 4);
  }
}

TEST_CASE("in place, in strides, in rows, and in reductions") {
  const auto x = angles(100);
  const Tensor<double> expected = sin(x);
  Tensor<double> z = x.clone();
  z = sin(z);
  CHECK(same_bits(z, expected));

  const auto wide = weft::zeros<double>({1200, 2});
  wide(weft::all, 1).assign(x);
  const Tensor<double> strided = sin(wide(weft::all, 1));
  CHECK(same_bits(strided, expected));

  const auto rows = x.reshape({40, 30});
  const Tensor<double> fused = sin(rows) - mean(rows, weft::axis(-1), weft::keepdims) * 0.0;
  CHECK(same_bits(fused, expected));
  const Tensor<double> sums = sum(sin(rows), weft::axis(-1));
  const Tensor<double> of_stored = sum(expected.reshape({40, 30}), weft::axis(-1));
  CHECK(same_bits(sums, of_stored));
}

TEST_CASE("infinite angles and NaN beside others") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto x = weft::zeros<double>({9});
  x.at(1) = infinity;
  x.at(2) = -infinity;
  x.at(3) = std::nan("");
  x.at(4) = -0.0;
  x.at(5) = 1;
  for (const Tensor<double>& y : {Tensor<double>(sin(x)), Tensor<double>(tan(x))}) {
    for (int i = 1; i < 4; ++i) CHECK(std::isnan(y.at(i)));
    CHECK((y.at(4) == 0 && std::signbit(y.at(4))));
    CHECK((y.at(0) == 0 && !std::signbit(y.at(0))));
  }
  CHECK(sin(x(weft::slice(5, 6))).item() == doctest::Approx(0.841470984807896507).epsilon(1e-15));
}
