// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/reduce/column_logsumexp.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

using weft::axis;

namespace {
template <class T>
double expected(const weft::Tensor<T>& x, std::int64_t column) {
  long double max = -INFINITY, sum = 0;
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    max = std::max(max, static_cast<long double>(x(r, column)));
  }
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    sum += std::exp(static_cast<long double>(x(r, column)) - max);
  }
  return static_cast<double>(max + std::log(sum));
}
}  // namespace

TEST_CASE_TEMPLATE("columns of any number and length, in memory and computed", T, float, double) {
  for (const std::int64_t width : {8, 17, 100, 256, 257, 1000}) {
    for (const std::int64_t rows : {2, 15, 16, 17, 33, 600}) {
      CAPTURE(width);
      CAPTURE(rows);
      const auto x = eval(weft::cast<T>(8 * weft::randn<double>(rows, width)));
      const auto plain = logsumexp(x, axis(0)).eval();
      const auto doubled = logsumexp(x * T(2) - x, axis(0)).eval();
      double worst = 0;
      for (std::int64_t c = 0; c < width; ++c) {
        const double right = expected(x, c);
        worst = std::max(worst, std::abs(static_cast<double>(plain(c)) - right));
        worst = std::max(worst, std::abs(static_cast<double>(doubled(c)) - right));
      }
      CHECK(worst < (sizeof(T) == 4 ? 5e-6 : 1e-14));
    }
  }
}

TEST_CASE("elements that grow from row to row, and far ones") {
  const auto up = eval(weft::arange<float>(5000).reshape(500, 10) * 0.5F);
  for (std::int64_t c = 0; c < 10; ++c) {
    CHECK(logsumexp(up, axis(0)).eval()(c) == doctest::Approx(expected(up, c)));
    CHECK(logsumexp(up.flip(0), axis(0)).eval()(c) == doctest::Approx(expected(up, c)));
  }
  const auto far = weft::full({40, 9}, -3e38F);
  CHECK(logsumexp(far, axis(0)).eval()(8) == -3e38F);
}

TEST_CASE("a million equal elements lose nothing") {
  const auto x = weft::full({1'000'000, 8}, -4.F);
  const double right = std::log(1e6) - 4;
  CHECK(logsumexp(x, axis(0)).eval()(3) == doctest::Approx(right).epsilon(1e-7));
  const auto middle = logsumexp(x.reshape(2, 500'000, 8), axis(1)).eval();
  CHECK(middle(1, 7) == doctest::Approx(std::log(5e5) - 4).epsilon(1e-7));
}

TEST_CASE_TEMPLATE("infinite elements and NaN, in the first rows and later ones", T, float,
                   double) {
  const T inf = std::numeric_limits<T>::infinity();
  for (const std::int64_t rows : {3, 40, 700}) {
    for (const std::int64_t at : {std::int64_t{0}, rows / 2, rows - 1}) {
      auto x = eval(weft::cast<T>(weft::randn<double>(rows, 12)));
      x(weft::all, 1).assign(-inf);
      x(weft::all, 2).assign(-inf);
      x(at, 2) = T(3);
      x(at, 3) = inf;
      x(at, 4) = weft::math::nan<T>;
      x(weft::all, 5).assign(-inf);
      x(at, 5) = weft::math::nan<T>;
      x(weft::all, 6).assign(inf);
      x(0, 7) = inf;
      x(rows - 1, 7) = weft::math::nan<T>;
      x(0, 8) = -inf;
      x(weft::all, 9).assign(inf);
      x(at, 9) = -inf;
      const auto y = logsumexp(x, axis(0)).eval();
      CHECK(y(0) == doctest::Approx(expected(x, 0)));
      CHECK(y(1) == -inf);
      CHECK(y(2) == T(3));
      CHECK(y(3) == inf);
      CHECK(std::isnan(y(4).item()));
      CHECK(std::isnan(y(5).item()));
      CHECK(y(6) == inf);
      CHECK(std::isnan(y(7).item()));
      CHECK(y(8) == doctest::Approx(expected(x, 8)));
      CHECK(y(9) == inf);
    }
  }
}

TEST_CASE("few columns are cut into pieces, whose states are merged") {
  auto x = eval(weft::randn<float>(3000, 10) * 5.F);
  x(weft::all, 4).assign(-INFINITY);
  x(2000, 5) = weft::math::nan<float>;
  x(1000, 6) = INFINITY;
  const auto y = logsumexp(x, axis(0)).eval();
  for (const std::int64_t c : {0, 3, 7, 9}) CHECK(y(c) == doctest::Approx(expected(x, c)));
  CHECK(y(4) == -INFINITY);
  CHECK(std::isnan(y(5).item()));
  CHECK(y(6) == INFINITY);
}

TEST_CASE("columns without elements, and results that lie apart") {
  const auto none = logsumexp(weft::zeros<float>(0, 12), axis(0)).eval();
  CHECK(none(11) == -INFINITY);
  const auto x = weft::randn<float>(30, 9).eval();
  auto wide = weft::zeros<float>(9, 2);
  wide(weft::all, 0).assign(logsumexp(x, axis(0)));
  for (std::int64_t c = 0; c < 9; ++c) {
    CHECK(wide(c, 0) == doctest::Approx(expected(x, c)));
    CHECK(wide(c, 1) == 0);
  }
  const auto h = eval(weft::cast<weft::half>(x));
  CHECK(static_cast<float>(logsumexp(h, axis(0)).eval()(2).item()) ==
        doctest::Approx(expected(x, 2)).epsilon(2e-3));
}
