// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/cholesky.hpp>
#include <weft/ops/linalg/det.hpp>
#include <weft/ops/linalg/lu.hpp>
#include <weft/ops/linalg/matrices.hpp>
#include <weft/ops/linalg/small_matrix.hpp>
#include <weft/ops/linalg/solve.hpp>
#include <weft/ops/linalg/solver.hpp>
#include <weft/ops/linalg/triangular_solve.hpp>
#include <weft/ops/shape/triangle.hpp>

#include <string>

#include "linear_algebra.hpp"

using test::close_enough;
using test::definite_matrices;
using test::off;
using test::some_matrices;
using weft::Shape;
using weft::Tensor;
using weft::tensor;

namespace {

template <class T, class D>
void check_systems() {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 16, 17, 100}) {
    CAPTURE(n);
    const auto a = some_matrices<T, D>({2, 3, n, n}, 30);
    const auto b = some_matrices<T, D>({3, n, 5}, 0, 2);
    const auto right = b.expand({2, 3, n, 5});
    const auto one = weft::eye<T>(n, D{}).expand({2, 3, n, n});
    CHECK(off(matmul(a, solve(a, b)), right) < close_enough<T>);
    CHECK(off(matmul(inv(a), a), one) < close_enough<T>);
    CHECK(off(matmul(a, lu_solve(lu_factor(a), b)), right) < close_enough<T>);
    CHECK(off(matmul(weft::linalg::adjoint(a), lu_solve(lu_factor(a), b, true)), right) <
          close_enough<T>);
    const auto [p, l, u] = lu(a.narrow(-1, 0, (n + 1) / 2));
    CHECK(off(matmul(matmul(p, l), u), a.narrow(-1, 0, (n + 1) / 2)) < close_enough<T>);
    // One matrix for all right-hand sides, and a vector.
    const Tensor<T, D> single = a(0, 0);
    CHECK(off(matmul(single, solve(single, right)), right) < close_enough<T>);
    const Tensor<T, D> vector = b(0, weft::all, 0);
    CHECK(off(matmul(single, solve(single, vector)), vector) < close_enough<T>);
    CHECK(off(matmul(single, lu_solve(lu_factor(single), vector)), vector) < close_enough<T>);
    CHECK(lu_solve(lu_factor(a), vector).shape() == Shape{2, 3, n});

    const auto s = definite_matrices<T, D>({3, n, n});
    const auto factor = cholesky(s);
    CHECK(off(matmul(factor, weft::linalg::adjoint(factor)), s) < close_enough<T>);
    CHECK(off(weft::linalg::lower(factor), factor) == 0);
    CHECK(off(matmul(s, cholesky_solve(b, factor)), b) < 20 * close_enough<T>);
    const auto x = cholesky_solve(vector, factor(0));
    CHECK(off(matmul(s(0), x), vector) < 20 * close_enough<T>);
    for (int how = 0; how < 8; ++how) {
      const weft::linalg::Triangle triangle{(how & 1) != 0, (how & 2) != 0, (how & 4) != 0};
      const auto whole = (a(0) / T(8)).eval();
      auto half = weft::linalg::triangle(whole, triangle.unit ? triangle.upper ? 1 : -1 : 0,
                                         triangle.upper);
      if (triangle.unit) half = half + weft::eye<T>(n, D{});
      const auto m = triangle.transposed ? weft::linalg::adjoint(half) : half;
      const auto y = triangular_solve(whole, b, triangle);
      CHECK(off(matmul(m, y), b) < 1e6 * close_enough<T>);
    }
  }
}

/// Laplace's expansion.
double determinant(const std::vector<double>& a, int n) {
  if (n == 0) return 1;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    std::vector<double> minor;
    for (int i = 1; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (j != k) minor.push_back(a[static_cast<std::size_t>(i * n + j)]);
      }
    }
    sum += (k % 2 == 0 ? 1 : -1) * a[static_cast<std::size_t>(k)] * determinant(minor, n - 1);
  }
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE("solve, inv, lu, cholesky: residuals at every size", D, TEST_DEVICES) {
  check_systems<double, D>();
  check_systems<weft::complex<float>, D>();
}

TEST_CASE_TEMPLATE("det and slogdet", D, TEST_DEVICES) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7}) {
    const auto a = some_matrices<double, D>({4, n, n}, 0, 3);
    const auto found = det(a).to_vector();
    const auto [sign, logarithm] = slogdet(a);
    const auto parts = (sign * exp(logarithm)).to_vector();
    for (std::size_t i = 0; i < 4; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const double expected = determinant(a(at).contiguous().to_vector(), static_cast<int>(n));
      CHECK(found[i] == doctest::Approx(expected));
      CHECK(parts[i] == doctest::Approx(expected));
    }
  }
  // 7^400 overflows; an even number of exchanges keeps the sign.
  const Tensor<double, D> large = weft::eye<double>(400, D{}) * 7.0;
  CHECK(slogdet(large.flip(0)).logabsdet.item() == doctest::Approx(400 * std::log(7.0)));
  CHECK(slogdet(large.flip(0)).sign.item() == 1);
  CHECK(slogdet(large.narrow(0, 0, 399).narrow(1, 0, 399).flip(0)).sign.item() == -1);
  CHECK(std::isinf(det(large).item()));
  const auto singular = tensor<float>({{1, 2}, {2, 4}}, D{});
  CHECK(det(singular).item() == 0);
  CHECK(slogdet(singular).sign.item() == 0);
  CHECK(slogdet(singular).logabsdet.item() == -INFINITY);
  CHECK(det(weft::zeros<float>({3, 0, 0}, D{})).to_vector() == std::vector<float>{1, 1, 1});
}

TEST_CASE_TEMPLATE("values by hand, layouts and pivoting", D, TEST_DEVICES) {
  const auto a = tensor<float>({{0, 2}, {4, 2}}, D{});
  CHECK(off(inv(a), tensor<float>({{-0.25, 0.25}, {0.5, 0}}, D{})) < 1e-6);
  CHECK(off(inv(a.t()), inv(a).t()) < 1e-6);
  CHECK(off(inv(a.flip(0)), inv(a).flip(1)) < 1e-6);
  CHECK(off(inv(a + 0.F), inv(a)) == 0);
  CHECK(lu_factor(a).pivots.to_vector() == std::vector<std::int32_t>{1, 1});
  CHECK(off(solve(a, tensor<float>({2, 8}, D{})), tensor<float>({1.5, 1}, D{})) < 1e-6);
  CHECK(inv(weft::zeros<float>({2, 0, 0}, D{})).shape() == Shape{2, 0, 0});
  CHECK(solve(weft::zeros<float>({0, 3, 3}, D{}), weft::zeros<float>({0, 3, 2}, D{})).size() == 0);
  CHECK(cholesky(weft::zeros<float>({0, 30, 30}, D{})).size() == 0);
}

TEST_CASE_TEMPLATE("a large batch of small matrices", D, TEST_DEVICES) {
  for (const std::int64_t n : {3, 6}) {
    const auto a = some_matrices<float, D>({20011, n, n}, 40);
    const auto b = some_matrices<float, D>({20011, n, 1}, 0, 5);
    const auto one = weft::eye<float>(n, D{}).expand({20011, n, n});
    CHECK(off(matmul(inv(a), a), one) < 1e-4);
    CHECK(off(matmul(a, solve(a, b)), b) < 1e-4);
    CHECK(off(det(a) * det(inv(a)), weft::ones<float>({20011}, D{})) < 1e-3);
    const Tensor<float, D> s = matmul(a, a.transpose(1, 2));
    const auto l = cholesky(s);
    CHECK(off(matmul(l, l.transpose(1, 2)), s) < 1e-5);
  }
}

TEST_CASE_TEMPLATE("singular and indefinite matrices are errors with their place", D,
                   TEST_DEVICES) {
  for (const std::int64_t n : {3, 8, 30}) {
    const Tensor<double, D> a = weft::eye<double>(n, D{}).expand({5, n, n}).clone();
    a(3, 2, 2).fill(0);
    const Tensor<double, D> b = weft::ones<double>({5, n, 1}, D{});
    const auto says = [](const char* text, auto f) {
      // On a GPU it is thrown when it is next waited for.
      CHECK(test::message([&] { static_cast<void>(f().to_vector()); }) == doctest::Contains(text));
    };
    const char* const where = weft::is_cuda<D> ? " on cuda:0" : "";
    const auto text = [&](const char* operation, const char* fact) {
      return std::string("[") + operation + "] matrix 3 of the batch" + where + " " + fact +
             ": pivot 2";
    };
    says(text("inv", "is singular").c_str(), [&] { return inv(a); });
    says(text("solve", "is singular").c_str(), [&] { return solve(a, b); });
    says(text("cholesky", "is not positive definite").c_str(), [&] { return cholesky(a); });
    says(text("lu_solve", "is singular").c_str(), [&] { return lu_solve(lu_factor(a), b); });
    says(text("triangular_solve", "is singular").c_str(),
         [&] { return triangular_solve(a, b, {.upper = true}); });
  }
}

TEST_CASE_TEMPLATE("wrong shapes", D, TEST_DEVICES) {
  const auto x = weft::ones<float>({2, 3}, D{});
  const auto square = weft::eye<float>(3, D{});
  CHECK_SAYS("[inv] matrices of shape (2, 3), expected square matrices", inv(x));
  CHECK_SAYS("[det] shape (3,), expected matrices: at least 2 axes", det(x(0)));
  CHECK_SAYS(
      "[solve] a matrix of shape (3, 3) and a right-hand side of shape (2, 3), expected 3 rows",
      solve(square, x));
  CHECK_SAYS("[cholesky] matrices of shape (2, 3)", cholesky(x));
  CHECK_SAYS("[triangular_solve] matrices of shape (2, 3)", triangular_solve(x, x, {}));
}

TEST_CASE_TEMPLATE("a triangular system of one vector", D, TEST_DEVICES) {
  const auto a = test::some_matrices<double, D>({2, 4, 4}, 5).eval();
  const auto b = test::some_matrices<double, D>({4, 1}, 0, 2).eval();
  const auto x = triangular_solve(a, b(weft::all, 0), {.upper = true});
  CHECK(x.shape() == weft::Shape{2, 4});
  CHECK(off(matmul(weft::triu(a), x.unsqueeze(-1)), b.expand({2, 4, 1})) < 1e-12);
}

TEST_CASE_TEMPLATE("triangular systems under PyTorch's names", D, TEST_DEVICES) {
  const auto a = test::some_matrices<double, D>({2, 4, 4}, 5).eval();
  const auto b = test::some_matrices<double, D>({2, 4, 3}, 0, 2).eval();
  const auto lower = [](const auto& m) { return weft::tril(m).eval(); };
  const auto upper = [](const auto& m) { return weft::triu(m).eval(); };
  CHECK(off(matmul(lower(a), solve_triangular(a, b, {.upper = false})), b) < 1e-12);
  CHECK(off(matmul(upper(a), solve_triangular(a, b, {.upper = true})), b) < 1e-12);
  const auto bt = b.transpose(-1, -2);
  CHECK(off(matmul(solve_triangular(a, bt, {.upper = true, .left = false}), upper(a)), bt) < 1e-12);
  CHECK(off(matmul(solve_triangular(a, bt, {.upper = false, .left = false}), lower(a)), bt) <
        1e-12);
  const auto one = weft::eye<double>(4, D{});
  CHECK(off(matmul((weft::tril(a, -1) + one).eval(),
                   solve_triangular(a, b, {.upper = false, .unitriangular = true})),
            b) < 1e-12);
  CHECK(off(matmul(upper(a(0)), solve_triangular(a(0), b(0, weft::all, 0), {.upper = true})),
            b(0, weft::all, 0)) < 1e-12);
}
