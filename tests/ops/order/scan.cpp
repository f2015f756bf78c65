// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/scan.hpp>

#include <cmath>

#ifdef __CUDACC__
#include <weft/cuda/scan/scan.hpp>
#endif

#include "array.hpp"

using test::Array;
using test::Index;
using weft::axis;
using weft::Shape;
using weft::Tensor;

namespace {

/// The running values of `step(sum, x)` along an axis.
template <class R, class T, class Step>
Array<R> running(const Array<T>& a, int axis, Step step) {
  Array<R> out{a.shape, {}};
  out.values.resize(a.values.size());
  std::int64_t inner = 1;
  for (int d = axis + 1; d < a.shape.rank(); ++d) inner *= a.shape[d];
  const std::int64_t length = a.shape[axis];
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    const bool first = static_cast<std::int64_t>(k) / inner % length == 0;
    const auto x = static_cast<R>(a.values[k]);
    out.values[k] = first ? x : step(out.values[k - static_cast<std::size_t>(inner)], x);
  }
  return out;
}

template <class T>
T add(T a, T b) {
  return a + b;
}
template <class T>
T largest(T a, T b) {
  return std::isnan(static_cast<double>(a)) || a > b ? a : b;
}

template <class T>
bool near(const std::vector<T>& got, const std::vector<double>& expected, double tolerance) {
  bool all = got.size() == expected.size();
  for (std::size_t i = 0; all && i < got.size(); ++i) {
    const auto value = static_cast<double>(got[i]);
    all = std::isnan(expected[i])
              ? std::isnan(value)
              : value == expected[i] || std::fabs(value - expected[i]) <=
                                            tolerance * std::max(1.0, std::fabs(expected[i]));
  }
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("running sums along any axis of any view", D, TEST_DEVICES) {
  test::Random r(3);
  for (int n = 0; n < 80; ++n) {
    Shape shape = r.shape(3, 7);
    shape.insert(static_cast<int>(r.between(0, shape.rank())), r.between(1, 70));
    auto a = r.array<float>(shape);
    auto x = a.on(D{});
    for (int times = 3; times > 0; --times) r.vary(x, a);
    const auto along = static_cast<int>(r.between(0, x.rank() - 1));
    const auto expected = running<float>(a, along, add<float>);
    CHECK(same(cumsum(x, axis(along)), expected));
    CHECK(same(cumsum(x, axis(along - x.rank()), weft::deterministic), expected));
    CHECK(same(cummax(x, axis(along)), running<float>(a, along, largest<float>)));
  }
}

TEST_CASE_TEMPLATE("rows and columns of every length", D, TEST_DEVICES) {
  test::Random r(5);
  std::vector<std::int64_t> lengths{127,  128,  129,  511,  512,  513,
                                    2047, 2048, 2049, 2050, 8200, 20011};
  for (std::int64_t n = 1; n <= 40; ++n) lengths.push_back(n);
  for (std::int64_t n : lengths) {
    const auto a = r.array<std::int16_t>({3, n});
    const auto x = a.on(D{});
    const auto rows = running<std::int64_t>(a, 1, add<std::int64_t>);
    CHECK(same(cumsum(x, axis(1)), rows));
    CHECK(same(cumsum(x, axis(1), weft::deterministic), rows));
    CHECK(same(cumsum(x.t(), axis(0)).eval().t(), rows));
    CHECK(same(cumsum(x.t().clone(), axis(0)).eval().t(), rows));
    const auto part = a.pick({2, n}, [](Index i) { return i[0] += 1, i; });
    CHECK(same(cumsum(x.narrow(0, 1, 2), axis(1)),
               running<std::int64_t>(part, 1, add<std::int64_t>)));
    CHECK(same(
        cumsum(x.narrow(0, 0, 1).flatten()),
        running<std::int64_t>(Array<std::int16_t>{{n}, {a.values.begin(), a.values.begin() + n}}, 0,
                              add<std::int64_t>)));
  }
}

TEST_CASE_TEMPLATE("products, extremes and logarithms of sums", D, TEST_DEVICES) {
  test::Random r(8);
  for (const Shape& shape : {Shape{300, 5}, Shape{5, 300}, Shape{2, 9000}}) {
    for (int along = 0; along < 2; ++along) {
      auto a = r.array<float>(shape);
      for (float& v : a.values) v = (v - 4) / 4;
      const auto x = a.on(D{});
      CHECK(same(cummin(x, axis(along)),
                 running<float>(a, along, [](float p, float q) { return std::min(p, q); })));
      auto exponents = a;
      for (float& v : exponents.values) v = std::exp(v);
      auto logs = running<double>(exponents, along, add<double>);
      for (double& v : logs.values) v = std::log(v);
      CHECK(near(logcumsumexp(x, axis(along)).eval().to_vector(), logs.values, 1e-5));
      auto factors = a;
      for (float& v : factors.values) v = 1 + v / 100;
      CHECK(near(cumprod(factors.on(D{}), axis(along)).eval().to_vector(),
                 running<double>(factors, along, [](double p, double q) { return p * q; }).values,
                 1e-3));
    }
  }
}

TEST_CASE_TEMPLATE("element types", D, TEST_DEVICES) {
  const auto flags = weft::tensor({true, false, true, true}, D{});
  CHECK(cumsum(flags).eval().to_vector() == std::vector<std::int64_t>{1, 1, 2, 3});
  CHECK(cummax(flags(weft::slice(1, 3))).eval().to_vector() == std::vector<bool>{false, true});
  const auto small = weft::full({3}, std::uint8_t{200}, D{});
  CHECK(cumsum(small).eval().to_vector() == std::vector<std::uint64_t>{200, 400, 600});
  const auto h = weft::full({5000}, weft::half(1.0F), D{});
  const Tensor<weft::half, D> sums = cumsum(h);
  CHECK(static_cast<float>(sums(2047).item()) == 2048);
  CHECK(static_cast<float>(sums(4999).item()) == 5000);
  CHECK((cumsum(h * 40) - 131072.F).eval()(4998).item() == weft::half(199960.F - 131072.F));
  const auto z = weft::tensor({weft::complex<float>(1, 2), weft::complex<float>(3, -1)}, D{});
  CHECK(cumsum(z).eval()(1).item() == weft::complex<float>(4, 1));
  CHECK(cumprod(weft::tensor({2.0, 3.0, 4.0}, D{})).eval().to_vector() ==
        std::vector<double>{2, 6, 24});
}

TEST_CASE_TEMPLATE("long sums keep their digits", D, TEST_DEVICES) {
  const std::int64_t n = 20'000'000;
  const auto y = cumsum(weft::ones({n}, D{})).eval();
  CHECK(y(n - 1).item() == 20'000'000);
  const auto fractions = cumsum(weft::full({n}, 0.1F, D{})).eval();
  CHECK(fractions(n - 1).item() == doctest::Approx(double{0.1F} * n).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("special values", D, TEST_DEVICES) {
  const float nan = std::nanf("");
  const auto x = weft::tensor({1.F, nan, 3.F, 2.F}, D{});
  const std::vector<double> expected{1, NAN, NAN, NAN};
  CHECK(near(cumsum(x).eval().to_vector(), expected, 0));
  CHECK(near(cummax(x).eval().to_vector(), expected, 0));
  CHECK(near(cummin(x).eval().to_vector(), expected, 0));
  CHECK(near(logcumsumexp(x).eval().to_vector(), expected, 1e-6));
  const auto inf = weft::tensor({-INFINITY, -INFINITY, 0.F, INFINITY, 1.F}, D{});
  CHECK(
      near(logcumsumexp(inf).eval().to_vector(), {-INFINITY, -INFINITY, 0, INFINITY, INFINITY}, 0));
  CHECK(near(cumsum(inf).eval().to_vector(), {-INFINITY, -INFINITY, -INFINITY, NAN, NAN}, 0));
  CHECK(std::signbit(cumsum(weft::tensor({-0.F, -0.F}, D{})).eval()(1).item()));
}

TEST_CASE_TEMPLATE("shapes without much in them", D, TEST_DEVICES) {
  CHECK(cumsum(weft::zeros({0}, D{})).eval().shape() == Shape{0});
  CHECK(cumsum(weft::zeros({3, 0}, D{}), axis(0)).eval().shape() == Shape{3, 0});
  CHECK(cumsum(weft::zeros({0, 3}, D{}), axis(0)).eval().shape() == Shape{0, 3});
  CHECK(cumsum(weft::full({1, 1, 1}, 2.F, D{}), axis(1)).item() == 2);
  const auto x = weft::ones({4}, D{}).expand({3, 4});
  CHECK(cumsum(x, axis(0)).eval()(2).to_vector() == std::vector<float>(4, 3));
}

TEST_CASE_TEMPLATE("a number is its own running value along axis 0 or -1", D, TEST_DEVICES) {
  const auto x = weft::full({}, 3.F, D{});
  for (const int along : {0, -1}) {
    CHECK(cumsum(x, axis(along)).eval().shape() == Shape{});
    CHECK(cumsum(x, axis(along)).item() == 3);
    CHECK((cumprod(x * 2, axis(along)) + cummax(x, axis(along))).item() == 9);
    CHECK(logcumsumexp(x, axis(along), weft::deterministic).item() == 3);
  }
  CHECK_THROWS_AS(cumsum(x, axis(1)), weft::IndexError);
}

TEST_CASE_TEMPLATE("axes that a scan cannot take", D, TEST_DEVICES) {
  const auto x = weft::ones({2, 3}, D{});
  CHECK_THROWS_WITH_AS(cumsum(x), "[cumsum] shape (2, 3) and 0 axes, expected one: write axis(n)",
                       weft::ShapeError);
  CHECK_THROWS_AS(cumsum(x, axis(0, 1)), weft::ShapeError);
  CHECK_THROWS_AS(cummax(weft::full({}, 1.F, D{})), weft::ShapeError);
  CHECK_THROWS_WITH_AS(cumprod(x, axis(2)),
                       "[cumprod] axis 2 of a tensor of rank 2, expected -2 to 1",
                       weft::IndexError);
}
