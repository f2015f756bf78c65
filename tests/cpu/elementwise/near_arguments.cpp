// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/near_arguments.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "reference.hpp"
#include "test.hpp"
#include "weft/special.hpp"

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

TEST_CASE("which programs look at their arguments") {
  using X = Arg<1, double>;
  CHECK(looks_at_arguments<Apply<weft::op::sin, X>>);
  CHECK(looks_at_arguments<Apply<weft::op::add, Constant<double>, Apply<weft::op::tan, X>>>);
  CHECK_FALSE(looks_at_arguments<Apply<weft::op::exp, X>>);
  CHECK(looks_at_arguments<Apply<weft::op::sin, Arg<1, float>>>);
  CHECK(looks_at_arguments<Apply<weft::op::fmod, Arg<1, float>, Constant<float>>>);
  CHECK_FALSE(looks_at_arguments<Apply<weft::op::remainder, Arg<1, int>, Constant<int>>>);
  CHECK_FALSE(looks_at_arguments<Apply<weft::op::sin, Apply<weft::op::mapped<Twice>, X>>>);
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

TEST_CASE("a float near 0 has the same sine whether or not others are far") {
  const Tensor<float> x =
      (weft::arange<float>(2000) - 1000) * weft::exp(weft::arange<float>(2000) / 150);
  Tensor<float> beside = x.clone();
  for (std::int64_t i = 0; i < x.size(); i += 300) beside.at(i) = 1e30F;
  const auto check = [&](auto f) {
    const Tensor<float> near = f(x);
    const Tensor<float> mixed = f(beside);
    int different = 0;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      different += i % 300 != 0 && near.at(i) != mixed.at(i) ? 1 : 0;
    }
    return different;
  };
  CHECK(check([](const auto& v) { return sin(v); }) == 0);
  CHECK(check([](const auto& v) { return cos(v) * 2; }) == 0);
  CHECK(check([](const auto& v) { return tan(v); }) == 0);
}

TEST_CASE_TEMPLATE("remainders and quotients of whole arrays", T, float, double) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T others[] = {T(0), -T(0), T(1),     T(-3),   T(0.1),  inf,
                      -inf, nan,   T(1e-38), T(7e30), T(-1e38)};
  for (const bool far : {false, true}) {
    const Tensor<T> x = (weft::arange<T>(1500) - 700) * T(0.37);
    const Tensor<T> y = weft::sin(weft::arange<T>(1500)) + T(1.5);
    std::int64_t i = 0;
    for (T a : others) {
      for (T b : others) {
        if (!far && !(std::abs(a) < T(1e6) * std::abs(b) || b == 0 || std::isinf(a))) continue;
        x.at(i) = a;
        y.at(i++) = b;
      }
    }
    const Tensor<T> rest = fmod(x, y), own = x % y, python = remainder(x, y),
                    quotient = floor_divide(x, y);
    const auto same = [](T a, T b) {
      return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
    };
    for (i = 0; i < x.size(); ++i) {
      const T a = x.at(i), b = y.at(i);
      CAPTURE(a);
      CAPTURE(b);
      CHECK(same(rest.at(i), std::fmod(a, b)));
      CHECK(same(own.at(i), std::fmod(a, b)));
      CHECK(same(python.at(i), weft::math::remainder(a, b)));
      CHECK(same(quotient.at(i), weft::math::floor_divide(a, b)));
    }
    const Tensor<T> in_rows =
        fmod(x.reshape({50, 30}), y.reshape({50, 30})(weft::all, weft::slice(0, 1)));
    CHECK(same(in_rows.at(1, 1), std::fmod(x.at(31), y.at(30))));
  }
}
