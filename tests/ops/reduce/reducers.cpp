// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/reduce/moments.hpp>
#include <weft/ops/reduce/reducers.hpp>
#include <weft/ops/reduce/sums.hpp>

#include <cmath>

#include "array.hpp"

using weft::axis;

namespace {

/// A row, and the same among others as a column, so that both ways of reducing are tried.
template <class D, class F>
void both_ways(D device, const std::vector<float>& row, F f) {
  const auto n = static_cast<std::int64_t>(row.size());
  const auto x = weft::tensor(row, {n}, device);
  f(x, axis(0), [](const auto& e) { return e.item(); });
  const auto columns = weft::zeros({n, 20}, device);
  columns(weft::all, 7) = x;
  f(columns, axis(0), [](const auto& e) { return e.eval()(7).item(); });
}

/// Merging states of pieces, empty ones among them, is the same as one state of all.
template <class R, class C>
double in_pieces(const std::vector<C>& values, const std::vector<std::size_t>& cuts) {
  R reducer;
  typename R::template State<C> s{};
  std::size_t i = 0;
  for (std::size_t cut : cuts) {
    typename R::template State<C> piece{};
    for (; i < cut; ++i) reducer.add(piece, values[i], static_cast<long long>(i));
    reducer.merge(s, piece);
  }
  return static_cast<double>(reducer.finish(s, static_cast<long long>(values.size())));
}
template <class R>
bool merges(const std::vector<double>& values) {
  const auto n = values.size();
  const double whole = in_pieces<R, double>(values, {n});
  for (const auto& cuts :
       std::vector<std::vector<std::size_t>>{{0, n}, {n, n}, {0, 1, 1, n}, {n - 1, n}}) {
    const double got = in_pieces<R, double>(values, cuts);
    const bool both_nan = std::isnan(got) && std::isnan(whole);
    if (!both_nan && got != whole && !(std::fabs(got - whole) <= 1e-12 * std::fabs(whole)))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("states may be merged in pieces") {
  namespace r = weft::reducer;
  CHECK(merges<r::sum>({1, 2, 4}));
  CHECK(merges<r::prod>({3, -2, 4}));
  CHECK(merges<r::mean>({3, -2, 4}));
  CHECK(merges<r::var>({3, -2, 4, 1e3}));
  CHECK(merges<r::var>({1e300, 1e300}));
  CHECK(merges<r::stddev>({5, 5, 5}));
  CHECK(merges<r::min>({3, NAN, 4, NAN}));
  CHECK(merges<r::max>({-INFINITY, -INFINITY}));
  CHECK(merges<r::argmin>({3, 1, 4, 1}));
  CHECK(merges<r::argmax>({3, NAN, 4, NAN}));
  CHECK(merges<r::all>({1, 0}));
  CHECK(merges<r::any>({0, 0}));
  CHECK(merges<r::count_nonzero>({0, NAN, 2}));
  CHECK(merges<r::norm>({3, -4}));
  CHECK(merges<r::logsumexp>({800, -800, 801}));
  CHECK(merges<r::logsumexp>({NAN, 1}));
  CHECK(merges<r::logsumexp>({1, NAN}));
  CHECK(merges<r::logsumexp>({NAN, -INFINITY}));
  CHECK(merges<r::logsumexp>({-INFINITY, -INFINITY}));
  CHECK(merges<r::logsumexp>({INFINITY, 1, INFINITY}));
}

TEST_CASE("values that join together less some at either end") {
  const auto same = [](auto reducer, const double(&x)[12]) {
    using State = typename decltype(reducer)::template State<double>;
    for (int n = 4; n <= 12; n += 4) {
      for (int edge = -3; edge <= 3; ++edge) {
        CAPTURE(n);
        CAPTURE(edge);
        const int begin = edge > 0 ? edge : 0;
        const int end = edge < 0 ? 4 + edge : 4;
        State together{};
        reducer.template add_first<4>(together, x, n, begin, end);
        State alone{};
        for (int i = begin; i < n; ++i) {
          if (i < end || i >= 4) reducer.add(alone, x[i], i);
        }
        const int count = n - begin - (4 - end);
        CHECK(double(reducer.finish(together, count)) ==
              doctest::Approx(double(reducer.finish(alone, count))).epsilon(1e-13));
      }
    }
  };
  const double x[] = {9, -3, 70, 2, 0.5, -8, 4, 1e3, -20, 6, 1.5, 40};
  same(weft::reducer::logsumexp{}, x);
  same(weft::reducer::var{0}, x);
}

TEST_CASE_TEMPLATE("NaN and infinities", D, TEST_DEVICES) {
  both_ways(D{}, {1, NAN, 3, NAN}, [](const auto& x, auto a, auto item) {
    for (double v : {double(item(sum(x, a))), double(item(prod(x, a))), double(item(mean(x, a))),
                     double(item(var(x, a))), double(item(weft::min(x, a))),
                     double(item(weft::max(x, a))), double(item(norm(x, a))),
                     double(item(weft::norm_p(x, INFINITY, a))), double(item(logsumexp(x, a)))}) {
      CHECK(std::isnan(v));
    }
    CHECK(item(argmin(x, a)) == 1);
    CHECK(item(argmax(x, a)) == 1);
    CHECK(item(weft::any(x, a)));
    CHECK(item(count_nonzero(x, a)) == 4);
  });
  both_ways(D{}, {-INFINITY, 2, INFINITY}, [](const auto& x, auto a, auto item) {
    CHECK(std::isnan(item(sum(x, a))));
    CHECK(item(weft::max(x, a)) == INFINITY);
    CHECK(item(weft::min(x, a)) == -INFINITY);
    CHECK(item(argmax(x, a)) == 2);
    CHECK(item(argmin(x, a)) == 0);
    CHECK(item(logsumexp(x, a)) == INFINITY);
    CHECK(item(norm(x, a)) == INFINITY);
    CHECK(std::isnan(item(var(x, a))));
  });
  both_ways(D{}, {-INFINITY, -INFINITY}, [](const auto& x, auto a, auto item) {
    CHECK(item(sum(x, a)) == -INFINITY);
    CHECK(item(weft::max(x, a)) == -INFINITY);
    CHECK(item(argmax(x, a)) == 0);
    CHECK(item(logsumexp(x, a)) == -INFINITY);
  });
}

TEST_CASE_TEMPLATE("the first of equals", D, TEST_DEVICES) {
  std::vector<float> row(1000, 1);
  for (std::size_t at : {999U, 700U, 33U, 16U, 3U}) {
    row[at] = 5;
    both_ways(D{}, row, [at](const auto& x, auto a, auto item) {
      CHECK(item(argmax(x, a)) == static_cast<std::int64_t>(at));
      CHECK(item(argmin(x * -1, a)) == static_cast<std::int64_t>(at));
      CHECK(item(argmin(x, a)) == 0);
    });
  }
  row[400] = NAN;
  both_ways(D{}, row, [](const auto& x, auto a, auto item) { CHECK(item(argmax(x, a)) == 400); });
}

TEST_CASE_TEMPLATE("one element", D, TEST_DEVICES) {
  both_ways(D{}, {-3}, [](const auto& x, auto a, auto item) {
    CHECK(item(sum(x, a)) == -3);
    CHECK(item(mean(x, a)) == -3);
    CHECK(std::isnan(item(var(x, a))));
    CHECK(item(var(x, a, weft::correction(0))) == 0);
    CHECK(item(weft::std(x, a, weft::correction(0))) == 0);
    CHECK(item(norm(x, a)) == 3);
    CHECK(item(logsumexp(x, a)) == -3);
    CHECK(item(weft::max(x, a)) == -3);
  });
}

TEST_CASE_TEMPLATE("element types of results", D, TEST_DEVICES) {
  const auto bytes = weft::full<std::int8_t>({1000}, 127, D{});
  CHECK(sum(bytes).item() == 127000);
  static_assert(std::is_same_v<decltype(sum(bytes).item()), std::int64_t>);
  CHECK(prod(bytes(weft::slice(0, 8))).item() == 67675234241018881);
  CHECK(mean(bytes).item() == 127);
  static_assert(std::is_same_v<decltype(mean(bytes).item()), double>);
  CHECK(weft::max(bytes - 127).item() == 0);
  static_assert(std::is_same_v<decltype(weft::max(bytes).item()), std::int8_t>);
  const auto words = weft::full<std::uint32_t>({3}, UINT32_MAX, D{});
  CHECK(sum(words).item() == std::uint64_t{UINT32_MAX} * 3);
  static_assert(std::is_same_v<decltype(sum(words).item()), std::uint64_t>);
  CHECK(sum(weft::full({2}, INT64_MAX, D{})).item() == -2);
  const auto truths = weft::tensor({true, false, true}, D{});
  CHECK(sum(truths).item() == 2);
  CHECK(prod(truths).item() == 0);
  CHECK(weft::max(truths).item());
  CHECK(argmin(truths).item() == 1);
  const auto h = weft::full<weft::half>({5000}, 8, D{});
  static_assert(std::is_same_v<decltype(sum(h).item()), weft::half>);
  CHECK(sum(h).item() == 40000);
  CHECK(mean(h * 100).item() == 800);
  CHECK((sum(h) * 2 / 2).item() == 40000);
  const auto z = weft::tensor({weft::complex<float>(1, 2), weft::complex<float>(3, -4)}, D{});
  CHECK(sum(z).item() == weft::complex<float>(4, -2));
  CHECK(mean(z).item() == weft::complex<float>(2, -1));
  CHECK(prod(z).item() == weft::complex<float>(11, 2));
  CHECK(norm(z).item() == doctest::Approx(std::sqrt(30.0)));
  CHECK(weft::sum(weft::full({3}, 0.1, D{})).item() == doctest::Approx(0.3).epsilon(1e-15));
}

TEST_CASE_TEMPLATE("norms", D, TEST_DEVICES) {
  const auto x = weft::tensor({3.F, -4.F, 0.F}, D{});
  CHECK(weft::norm_p(x, 1).item() == 7);
  CHECK(weft::norm_p(x, 2).item() == 5);
  CHECK(weft::norm_p(x, 3).item() == doctest::Approx(std::cbrt(91.0)));
  CHECK(weft::norm_p(x, INFINITY).item() == 4);
}

TEST_CASE_TEMPLATE("no overflow and no cancellation on the way", D, TEST_DEVICES) {
  both_ways(D{}, {1000, 1001}, [](const auto& x, auto a, auto item) {
    CHECK(item(logsumexp(x, a)) == doctest::Approx(1001.3132616875));
  });
  std::vector<float> row(4096);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i % 2 == 0 ? 100000.F : 100001.F;
  both_ways(D{}, row, [](const auto& x, auto a, auto item) {
    CHECK(item(var(x, a, weft::correction(0))) == doctest::Approx(0.25).epsilon(1e-3));
    CHECK(item(mean(x, a)) == doctest::Approx(100000.5).epsilon(1e-6));
  });
  both_ways(D{}, {1e30F, 1e30F, 1e30F},
            [](const auto& x, auto a, auto item) { CHECK(item(var(x, a)) == 0); });
}

TEST_CASE_TEMPLATE("sums of ten million floats", D, TEST_DEVICES) {
  constexpr std::int64_t n = 10'000'000;
  std::vector<float> values(n);
  test::Numbers numbers;
  double total = 0;
  double columns[8] = {};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<float>(numbers.uniform(0, 1));
    values[static_cast<std::size_t>(i)] = v;
    total += v;
    columns[i % 8] += v;
  }
  const auto x = weft::tensor(values, {n}, D{});
  const auto close = [](double got, double expected) {
    return std::fabs(got / expected - 1) < 1e-6;
  };
  CHECK(close(sum(x).item(), total));
  CHECK(close(mean(x).item(), total / n));
  const auto by_column = sum(x.reshape({n / 8, 8}), axis(0)).eval().to_vector();
  for (std::size_t c = 0; c < 8; ++c) CHECK(close(by_column[c], columns[c]));
  const auto constant = weft::full({n / 8, 8}, 0.1F, D{});
  CHECK(close(sum(constant).item(), double(0.1F) * n));
  CHECK(close(sum(constant, axis(0)).eval()(3).item(), double(0.1F) * (n / 8)));
  CHECK(close(weft::std(constant, axis(0)).eval()(3).item() + 1, 1));
}

// Half a minute where code is slow.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE_TEMPLATE("more than 2^31 elements", D, TEST_DEVICES) {
  constexpr std::int64_t n = (std::int64_t{1} << 31) + 8;
  const auto x = weft::full<std::int8_t>({1}, 3, D{}).expand({n});
  CHECK(sum(x).item() == 3 * n);
}
#endif

TEST_CASE_TEMPLATE("-0 alone stays -0, and of nothing the sum is 0", D, TEST_DEVICES) {
  for (std::int64_t n : {1, 3, 40, 700}) {
    const auto x = weft::full({2, n}, -0.0F, D{});
    CHECK(std::signbit(sum(x).item()));
    CHECK(std::signbit(sum(x, axis(1)).eval()(1).item()));
    CHECK(std::signbit(mean(x, axis(0)).eval()(0).item()));
  }
  CHECK_FALSE(std::signbit(sum(weft::zeros({0}, D{})).item()));
  CHECK_FALSE(std::signbit(sum(weft::zeros({2, 0}, D{}), axis(1)).eval()(1).item()));
}
