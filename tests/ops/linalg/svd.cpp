// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/eig.hpp>
#include <weft/ops/linalg/eigh.hpp>
#include <weft/ops/linalg/lstsq.hpp>
#include <weft/ops/linalg/qr.hpp>
#include <weft/ops/linalg/small_eigh.hpp>
#include <weft/ops/linalg/svd.hpp>

#include "linear_algebra.hpp"

using test::close_enough;
using test::definite_matrices;
using test::off;
using test::some_matrices;
using weft::Factors;
using weft::Shape;
using weft::Tensor;
using weft::tensor;
using weft::linalg::adjoint;

namespace {

const Shape shapes[] = {{1, 1},     {5, 3},   {3, 5},  {2, 4, 4}, {3, 20, 7},
                        {2, 6, 33}, {40, 40}, {70, 9}, {9, 140}};

template <class X>
void check_orthonormal(const X& q) {
  using T = typename X::value_type;
  using D = typename X::device_type;
  const Tensor<T, D> product = matmul(adjoint(q), q);
  const auto one = weft::eye<T>(q.shape()[q.rank() - 1], D{});
  CHECK(off(product, one.expand(product.shape())) < close_enough<T>);
}

template <class T, class D>
void check_factors() {
  for (const Shape& shape : shapes) {
    CAPTURE(shape);
    const auto a = some_matrices<T, D>(shape);
    for (const Factors factors : {Factors::reduced, Factors::full}) {
      const auto [q, r] = qr(a, factors);
      check_orthonormal(q);
      CHECK(off(matmul(q, r), a) < close_enough<T>);
      CHECK(off(weft::linalg::upper(r), r) == 0);

      const auto [u, s, vh] = svd(a, factors);
      check_orthonormal(u);
      check_orthonormal(adjoint(vh));
      const std::int64_t k = s.shape()[s.rank() - 1];
      const Tensor<T, D> scaled = u.narrow(-1, 0, k) * weft::cast<T>(s.unsqueeze(-2));
      CHECK(off(matmul(scaled, vh.narrow(-2, 0, k)), a) < close_enough<T>);
      if (k > 1) CHECK(min(s.narrow(-1, 0, k - 1) - s.narrow(-1, 1, k - 1)).item() >= 0);
      CHECK(off(svdvals(a), s) < close_enough<T>);
    }
  }
}

template <class T, class D>
void check_eigenvalues() {
  for (const std::int64_t n : {1, 2, 3, 4, 7, 30}) {
    CAPTURE(n);
    const auto s = definite_matrices<T, D>({3, n, n});
    const auto [w, v] = eigh(s);
    check_orthonormal(v);
    CHECK(off(v * weft::cast<T>(w.unsqueeze(-2)), matmul(s, v)) < close_enough<T>);
    CHECK(off(eigvalsh(weft::linalg::lower(s)), w) < close_enough<T>);
    if (n > 1) CHECK(min(w.narrow(-1, 1, n - 1) - w.narrow(-1, 0, n - 1)).item() >= 0);

    const auto a = some_matrices<T, D>({2, n, n});
    const auto [e, x] = eig(a);
    using C = weft::complex<weft::real_t<T>>;
    CHECK(off(x * e.unsqueeze(-2), matmul(weft::cast<C>(a), x)) < 10 * close_enough<T>);
    CHECK(off(norm(x, weft::axis(-2)), weft::ones<weft::real_t<T>>({2, n}, D{})) < close_enough<T>);
    CHECK(off(sum(eigvals(a), weft::axis(-1)),
              sum(weft::cast<C>(a).eval().diagonal(), weft::axis(-1))) < 10 * close_enough<T>);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("qr and svd: products, orthonormal, in order", D, TEST_DEVICES) {
  check_factors<double, D>();
  check_factors<weft::complex<float>, D>();
}

TEST_CASE_TEMPLATE("eigh and eig: A V = V w", D, TEST_DEVICES) {
  check_eigenvalues<double, D>();
  check_eigenvalues<weft::complex<float>, D>();
}

TEST_CASE_TEMPLATE("eigenvalues by hand", D, TEST_DEVICES) {
  const auto a = tensor<double>({{2, 1}, {1, 2}}, D{});
  CHECK(off(eigvalsh(a), tensor<double>({1, 3}, D{})) < 1e-14);
  const auto turn = tensor<double>({{0, -1}, {1, 0}}, D{});
  const auto w = eigvals(turn).to_vector();
  CHECK(w[0].re == doctest::Approx(0));
  CHECK(std::fabs(w[0].im) == doctest::Approx(1));
  CHECK(w[0].im == doctest::Approx(-w[1].im));
  CHECK(off(svdvals(tensor<double>({{3, 0}, {4, 5}}, D{})),
            tensor<double>({std::sqrt(45.0), std::sqrt(5.0)}, D{})) < 1e-14);
  // A block that has one eigenvector only, and a matrix of zeros.
  const auto jordan = tensor<double>({{1, 1}, {0, 1}}, D{});
  const auto [e, x] = eig(jordan);
  CHECK(off(x * e.unsqueeze(-2), matmul(weft::cast<weft::complex<double>>(jordan), x)) < 1e-12);
  const auto zero = weft::zeros<double>({3, 3}, D{});
  CHECK(off(eigvalsh(a * 1e300), tensor<double>({1e300, 3e300}, D{})) < 1e-14);
  CHECK(off(eigvalsh(a * 1e-300) * 1e300, tensor<double>({1, 3}, D{})) < 1e-14);
  CHECK(off(svdvals(zero), weft::zeros<double>({3}, D{})) == 0);
  check_orthonormal(svd(zero).u);
  check_orthonormal(eigh(zero).eigenvectors);
}

TEST_CASE_TEMPLATE("pinv, lstsq, matrix_rank", D, TEST_DEVICES) {
  for (const Shape& shape : {Shape{2, 7, 4}, Shape{2, 4, 7}, Shape{5, 5}}) {
    auto a = some_matrices<double, D>(shape, 10).eval();
    a.narrow(-1, 1, 1).assign(a.narrow(-1, 0, 1));  // of a rank less than full where it is tall
    const auto p = pinv(a);
    CHECK(off(matmul(matmul(a, p), a), a) < 1e-10);
    CHECK(off(matmul(matmul(p, a), p), p) < 1e-10);
    CHECK(off(adjoint(Tensor<double, D>(matmul(a, p))), matmul(a, p)) < 1e-10);
    CHECK(off(adjoint(Tensor<double, D>(matmul(p, a))), matmul(p, a)) < 1e-10);
    const auto b = some_matrices<double, D>({shape[shape.rank() - 2], 2}, 0, 4);
    const auto found = lstsq(a, b);
    const Tensor<double, D> distance = matmul(a, found.solution) - b;
    CHECK(off(matmul(adjoint(a), distance), 0.0 * matmul(adjoint(a), distance)) < 1e-9);
    CHECK(off(found.residuals, sum(square(distance), weft::axis(-2))) < 1e-10);
    const std::int64_t columns = shape[shape.rank() - 1];
    const auto rank = static_cast<double>(columns == 7 ? 4 : columns - 1);
    CHECK(off(weft::cast<double>(matrix_rank(a)), rank + 0.0 * weft::cast<double>(found.rank)) ==
          0);
  }
  // The line through (0, 1), (1, 3), (2, 5)
  const auto x = tensor<double>({{0, 1}, {1, 1}, {2, 1}}, D{});
  CHECK(off(lstsq(x, tensor<double>({1, 3, 5}, D{})).solution, tensor<double>({2, 1}, D{})) <
        1e-13);
  CHECK(matrix_rank(x, {.relative = 0, .absolute = 100}).item() == 0);
  CHECK(matrix_rank(weft::zeros<float>({2, 2}, D{})).item() == 0);
}

TEST_CASE_TEMPLATE("tall matrices of low rank, large and small numbers", D, TEST_DEVICES) {
  const auto left = some_matrices<double, D>({90, 4});
  const auto a = matmul(left, some_matrices<double, D>({4, 12})).eval();
  CHECK(matrix_rank(a).item() == 4);
  for (const Factors factors : {Factors::reduced, Factors::full}) {
    const auto f = svd(a, factors);
    check_orthonormal(f.u);
    CHECK(off(matmul(f.u.narrow(1, 0, 12) * f.s, f.vh).eval(), a) < close_enough<double>);
  }
  const auto b = some_matrices<double, D>({90, 2});
  const auto least = lstsq(a, b);
  CHECK(least.rank.item() == 4);
  CHECK(off(least.solution, matmul(pinv(a), b).eval()) < close_enough<double>);
  for (const double scale : {1e-200, 1e200}) {
    const auto s = svdvals((a * scale).eval());
    CHECK(off((s / scale).eval(), svdvals(a)) < close_enough<double>);
  }
}

TEST_CASE_TEMPLATE("empty matrices, NaN and wrong shapes", D, TEST_DEVICES) {
  CHECK(svd(weft::zeros<float>({2, 0, 3}, D{}), Factors::full).vh.shape() == Shape{2, 3, 3});
  CHECK(qr(weft::zeros<float>({3, 0}, D{}), Factors::full).q.shape() == Shape{3, 3});
  CHECK(eigvalsh(weft::zeros<float>({0, 4, 4}, D{})).shape() == Shape{0, 4});
  const auto bad = weft::full<double>({2, 3, 3}, NAN, D{});
  if (!weft::is_cuda<D>) {
    CHECK_SAYS("[svd] matrix 0 of the batch is not finite", svd(bad));
    CHECK_SAYS("[eigvals] matrix 0 of the batch is not finite", eigvals(bad));
  }
  const auto x = weft::ones<float>({2, 3}, D{});
  CHECK_SAYS("[eigh] matrices of shape (2, 3), expected square matrices", eigh(x));
  CHECK_SAYS("[eigvals] matrices of shape (2, 3)", eigvals(x));
  CHECK_SAYS("[svd] shape (3,), expected matrices", svd(x(0)));
  CHECK_SAYS("[qr] shape (3,), expected matrices", qr(x(0)));
  CHECK_SAYS(
      "[lstsq] matrices of shape (2, 3) and right-hand sides of shape (3, 2), expected 2 rows",
      lstsq(x, x.t()));
}
