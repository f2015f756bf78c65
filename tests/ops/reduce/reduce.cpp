// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/reduce/reduce.hpp>

#include <cmath>

#include "array.hpp"

using test::Array;
using test::Index;
using weft::axis;
using weft::keepdims;
using weft::Shape;
using weft::Tensor;

namespace {

using Values = std::vector<double>;

/// The reduced axes of each element of the result, in row-major order.
template <class T>
Array<Values> groups(const Array<T>& a, unsigned mask) {
  Array<Values> out{a.shape, {}};
  for (int d = 0; d < a.shape.rank(); ++d) {
    if ((mask >> d & 1U) != 0) out.shape[d] = 1;
  }
  out.values.resize(static_cast<std::size_t>(out.shape.size()));
  test::each_index(a.shape, [&](const Index& i) {
    std::int64_t k = 0;
    for (int d = 0; d < a.shape.rank(); ++d) k = k * out.shape[d] + (out.shape[d] == 1 ? 0 : i[d]);
    out.values[static_cast<std::size_t>(k)].push_back(static_cast<double>(a.at(i)));
  });
  return out;
}

bool near(double got, double expected) {
  if (std::isnan(expected)) return std::isnan(got);
  return got == expected || std::fabs(got - expected) <= 2e-5 * std::max(1.0, std::fabs(expected));
}

/// reduction(x, axes...) against reference(values) over random shapes, views and axes.
template <class D, class Reduction, class Reference>
void check(D device, Reduction reduction, Reference reference) {
  test::Random r(11);
  for (int n = 0; n < 60; ++n) {
    Shape shape = r.shape(3, 7);
    shape.push_back(r.between(1, 40));
    auto a = r.array<float>(shape);
    for (float& v : a.values) v = (v - 4) / 4;
    auto x = a.on(device);
    for (int times = 3; times > 0; --times) r.vary(x, a);
    weft::Axes axes;
    unsigned mask = 0;
    for (int d = 0; d < x.rank(); ++d) {
      if (r.between(0, 1) == 0) continue;
      mask |= 1U << d;
      axes.push_back(r.between(0, 1) == 0 ? d : d - x.rank());
    }
    const auto expected = groups(a, mask);
    const auto kept = reduction(x, axes, keepdims).eval();
    CHECK(kept.shape() == expected.shape);
    const auto dropped = reduction(x, axes).eval();
    CHECK(dropped.rank() == x.rank() - axes.rank());
    const auto got = kept.to_vector();
    const auto also = dropped.to_vector();
    bool all_near = got.size() == also.size();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double value = reference(expected.values[i]);
      all_near = all_near && near(static_cast<double>(got[i]), value) &&
                 near(static_cast<double>(also[i]), value);
    }
    CHECK(all_near);
  }
}

double total(const Values& v) {
  double s = 0;
  for (double x : v) s += x;
  return s;
}
double variance(const Values& v, double correction) {
  const double m = total(v) / static_cast<double>(v.size());
  double s = 0;
  for (double x : v) s += (x - m) * (x - m);
  const double divisor = static_cast<double>(v.size()) - correction;
  return s / std::max(divisor, 0.0);
}
double position(std::vector<double>::const_iterator at, const Values& v) {
  return static_cast<double>(at - v.begin());
}

}  // namespace

#define CHECK_REDUCTION(call, reference)                  \
  check(                                                  \
      D{}, [](const auto& x, auto... o) { return call; }, \
      [](const Values& v) -> double { return reference; })

TEST_CASE_TEMPLATE("sums and products over any axes", D, TEST_DEVICES) {
  CHECK_REDUCTION(sum(x, o...), total(v));
  CHECK_REDUCTION(mean(x, o...), total(v) / static_cast<double>(v.size()));
  CHECK_REDUCTION(sum(square(x) - 1, o...), ([&] {
                    double s = 0;
                    for (double y : v) s += y * y - 1;
                    return s;
                  }()));
  CHECK_REDUCTION(prod(x, o...), ([&] {
                    double p = 1;
                    for (double y : v) p *= y;
                    return p;
                  }()));
  CHECK_REDUCTION(norm(x, o...), ([&] {
                    double s = 0;
                    for (double y : v) s += y * y;
                    return std::sqrt(s);
                  }()));
  CHECK_REDUCTION(logsumexp(x, o...), ([&] {
                    double s = 0;
                    for (double y : v) s += std::exp(y);
                    return std::log(s);
                  }()));
}

TEST_CASE_TEMPLATE("spread over any axes", D, TEST_DEVICES) {
  CHECK_REDUCTION(var(x, o...), variance(v, 1));
  CHECK_REDUCTION(var(x, o..., weft::correction(0)), variance(v, 0));
  CHECK_REDUCTION(weft::std(x, o...), std::sqrt(variance(v, 1)));
}

TEST_CASE_TEMPLATE("extremes over any axes", D, TEST_DEVICES) {
  CHECK_REDUCTION(min(x, o...), *std::min_element(v.begin(), v.end()));
  CHECK_REDUCTION(max(x, o...), *std::max_element(v.begin(), v.end()));
  CHECK_REDUCTION(argmin(x, o...), position(std::min_element(v.begin(), v.end()), v));
  CHECK_REDUCTION(argmax(x, o...), position(std::max_element(v.begin(), v.end()), v));
}

TEST_CASE_TEMPLATE("counts over any axes", D, TEST_DEVICES) {
  CHECK_REDUCTION(weft::any(x > 1, o...), *std::max_element(v.begin(), v.end()) > 1);
  CHECK_REDUCTION(weft::all(x < 1, o...), *std::max_element(v.begin(), v.end()) < 1);
  CHECK_REDUCTION(
      count_nonzero(x, o...),
      static_cast<double>(v.size()) - static_cast<double>(std::count(v.begin(), v.end(), 0)));
}

TEST_CASE_TEMPLATE("rows and columns of every length", D, TEST_DEVICES) {
  std::vector<std::int64_t> lengths{255, 256, 257, 258, 1023, 1024, 1025};
  for (std::int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
  test::Random r(5);
  const auto a = r.array<std::int16_t>({11, 1030});
  const auto x = a.on(D{});
  for (std::int64_t n : lengths) {
    const auto part = a.pick({11, n}, [&](Index i) { return i[1] += 3, i; });
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> first;
    for (const Values& v : groups(part, 0b10).values) {
      rows.push_back(static_cast<std::int64_t>(total(v)));
      first.push_back(std::max_element(v.begin(), v.end()) - v.begin());
    }
    const auto y = x.narrow(1, 3, n);
    CHECK(sum(y, axis(1)).eval().to_vector() == rows);
    CHECK(argmax(y, axis(1)).eval().to_vector() == first);
    CHECK(sum(y.t(), axis(0)).eval().to_vector() == rows);
    CHECK(sum(y.t().clone(), axis(0)).eval().to_vector() == rows);
    CHECK(argmax(y.t().clone(), axis(0)).eval().to_vector() == first);
    CHECK(sum(y).item() ==
          static_cast<std::int64_t>(total(Values(part.values.begin(), part.values.end()))));
  }
}

TEST_CASE_TEMPLATE("reductions in expressions", D, TEST_DEVICES) {
  test::Random r(9);
  for (int n : {1, 5, 64, 1000}) {
    const auto a = r.array<float>({3, n});
    const auto x = a.on(D{});
    const auto e = exp(x - max(x, axis(-1), keepdims));
    const auto softmax = (e / sum(e, axis(-1), keepdims)).eval().to_vector();
    const auto standard = ((x - mean(x, axis(1), keepdims)) /
                           sqrt(var(x, axis(1), keepdims, weft::correction(0)) + 1))
                              .eval()
                              .to_vector();
    const auto rows = groups(a, 0b10).values;
    for (std::size_t k = 0; k < softmax.size(); ++k) {
      const Values& row = rows[k / static_cast<std::size_t>(n)];
      double sum = 0;
      for (double y : row) sum += std::exp(y - a.values[k]);
      CHECK(near(softmax[k], 1 / sum));
      const double m = total(row) / n;
      CHECK(near(standard[k], (a.values[k] - m) / std::sqrt(variance(row, 0) + 1)));
    }
  }
}

TEST_CASE_TEMPLATE("no axis, all axes and wrong axes", D, TEST_DEVICES) {
  const auto x = weft::tensor({{1.F, 2.F}, {3.F, 4.F}}, D{});
  CHECK(sum(x).shape() == Shape{});
  CHECK(sum(x, keepdims).shape() == Shape{1, 1});
  CHECK(sum(x, axis()).eval().to_vector() == x.to_vector());
  CHECK(sum(x, keepdims, axis(0)).eval().to_vector() == std::vector<float>{4, 6});
  CHECK(sum(weft::full({}, 3, D{})).item() == 3);
  CHECK(argmax(weft::full({}, 3, D{})).item() == 0);
  CHECK(sum(weft::full({}, 3, D{}), axis(0)).item() == 3);  // as in NumPy
  CHECK(max(weft::full({}, 3, D{}) + 1, axis(-1), keepdims).eval().shape() == weft::Shape{});
  CHECK_THROWS_AS(sum(weft::full({}, 3, D{}), axis(1)), weft::IndexError);
  CHECK_THROWS_WITH_AS(sum(x, axis(2)), "[sum] axis 2 of a tensor of rank 2, expected -2 to 1",
                       weft::IndexError);
  CHECK_THROWS_WITH_AS(max(x, axis(0, -2)), "[max] axis -2 appears twice in (0, -2)",
                       weft::IndexError);
  CHECK_THROWS_WITH_AS(weft::norm_p(x, 0), "[norm_p] p = 0, expected above 0", weft::ValueError);
}

TEST_CASE_TEMPLATE("nothing to reduce", D, TEST_DEVICES) {
  const auto x = weft::zeros({0, 3}, D{});
  CHECK(sum(x).item() == 0);
  CHECK(prod(x, axis(0)).eval().to_vector() == std::vector<float>{1, 1, 1});
  CHECK(std::isnan(mean(x).item()));
  CHECK(std::isnan(var(x).item()));
  CHECK(logsumexp(x).item() == -INFINITY);
  CHECK(norm(x).item() == 0);
  CHECK_FALSE(any(x).item());
  CHECK(all(x).item());
  CHECK(count_nonzero(x).item() == 0);
  CHECK(max(x, axis(1)).eval().shape() == Shape{0});
  CHECK(sum(x, axis(1)).eval().shape() == Shape{0});
  CHECK_THROWS_WITH_AS(
      max(x, axis(0)),
      "[max] no elements to reduce in shape (0, 3), and this reduction has no identity",
      weft::ShapeError);
  CHECK_THROWS_AS(argmin(x), weft::ShapeError);
}
