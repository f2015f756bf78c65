// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/linalg/blocked.hpp>
#include <weft/cpu/linalg/direct.hpp>
#include <weft/cpu/linalg/jacobi.hpp>
#include <weft/cpu/linalg/lapack.hpp>
#include <weft/cpu/linalg/schur.hpp>
#include <weft/cpu/linalg/small.hpp>
#include <weft/cpu/linalg/solver.hpp>

#include <string>

#include "linear_algebra.hpp"

using weft::Cpu;
using weft::Tensor;
using weft::cpu::Matrix;

TEST_CASE("the first matrix that fails is named, whatever the threads do") {
  const auto fail_at = [](std::int64_t first, std::int64_t code) {
    return [=] {
      weft::cpu::each_matrix("test", "is bad", 1000, 1 << 20, [=](std::int64_t i) {
        return i >= first && i % 7 == first % 7 ? code : std::int64_t{0};
      });
    };
  };
  CHECK(test::message(fail_at(612, 3)) == "[test] matrix 612 of the batch is bad: pivot 2");
  CHECK(test::message(fail_at(5, -1)) == "[test] matrix 5 of the batch is bad");
  CHECK(test::message(fail_at(2000, 1)) == "");
}

TEST_CASE("a reflection gives LAPACK's signs") {
  double x[] = {3, 4};
  CHECK(weft::cpu::reflector(2, x) == doctest::Approx(1.6));
  CHECK(x[0] == doctest::Approx(-5));
  CHECK(x[1] == doctest::Approx(0.5));
  double alone[] = {-2, 0};
  CHECK(weft::cpu::reflector(2, alone) == 0);
  CHECK(alone[0] == -2);
}

TEST_CASE("Jacobi's singular values are right to the last digits, small ones too") {
  // Columns of very different lengths: LAPACK's small ones would be lost in rounding.
  double a[] = {1, 1, 1, 1e-12, -1e-12, 0, 1e-24, 1e-24, -2e-24};
  double v[9];
  double s[3];
  CHECK(weft::cpu::tall_svd<double>({a, 3}, 3, 3, s, {v, 3}));
  CHECK(s[0] == doctest::Approx(std::sqrt(3.0)).epsilon(1e-15));
  CHECK(s[1] / 1e-12 == doctest::Approx(std::sqrt(2.0)).epsilon(1e-14));
  CHECK(s[2] / 1e-24 == doctest::Approx(std::sqrt(6.0)).epsilon(1e-14));
  double huge[] = {3e300, 4e300, -4e300, 3e300};
  CHECK(weft::cpu::tall_svd<double>({huge, 2}, 2, 2, s, {v, 2}));
  CHECK(s[1] / 5e300 == doctest::Approx(1));
}

TEST_CASE("the QR algorithm finds the roots of a polynomial") {
  using C = weft::complex<double>;
  // (x - 1) (x - 2) (x - 3) (x^2 + 1), its companion matrix by columns
  const double coefficients[] = {-6, 11, -12, 12, -6};
  C a[25] = {};
  for (int i = 0; i < 5; ++i) a[20 + i] = -coefficients[i];
  for (int i = 0; i < 4; ++i) a[i * 5 + i + 1] = 1;
  C w[5];
  CHECK(weft::cpu::eig<C>({a, 5}, 5, w, {nullptr, 5}));
  const C roots[] = {1, 2, 3, {0, 1}, {0, -1}};
  for (const C root : roots) {
    double nearest = 1;
    for (const C x : w) nearest = std::min(nearest, std::hypot(x.re - root.re, x.im - root.im));
    CHECK(nearest < 1e-12);
  }
  // A permutation, where the plain iteration stands still.
  C cycle[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
  CHECK(weft::cpu::eig<C>({cycle, 3}, 3, w, {nullptr, 3}));
  for (int i = 0; i < 3; ++i) CHECK(std::hypot(w[i].re, w[i].im) == doctest::Approx(1));
}

TEST_CASE("blocks, loops and LAPACK do the same") {
  using T = weft::complex<double>;
  for (const std::int64_t n : {6, 49, 200}) {
    CAPTURE(n);
    const auto x = test::definite_matrices<T, Cpu>({n, n});
    const auto plain = x.t().clone();
    const auto blocks = x.t().clone();
    CHECK(weft::cpu::cholesky<T>({plain.data(), n}, n) == 0);
    CHECK(weft::cpu::blocked_cholesky<T>({blocks.data(), n}, n) == 0);
    const auto factor = weft::linalg::lower(plain.t());
    CHECK(test::off(weft::linalg::lower(blocks.t()), factor) < 1e-11);
    CHECK(test::off(cholesky(x), factor) < 1e-11);

    const auto a = test::some_matrices<T, Cpu>({n, n}, 3);
    const auto loops = a.t().clone();
    std::vector<int> pivots(static_cast<std::size_t>(n));
    weft::cpu::lu<T>({loops.data(), n}, n, n, pivots.data());
    const auto [lu, found] = lu_factor(a);
    CHECK(test::off(lu, loops.t()) < 1e-8);
    CHECK(found.to_vector() == pivots);
  }
  // Where the second block is what fails.
  auto x = weft::eye<double>(100).clone();
  x.at(70, 70) = -1;
  CHECK(weft::cpu::blocked_cholesky<double>({x.data(), 100}, 100) == 71);
}
