// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd/linalg/linalg.hpp>

#include <string>

#include "gradients.hpp"
#include "linear_algebra.hpp"

using test::numbers;
using weft::axis;
using weft::gradcheck;
using weft::parameter;
using weft::Shape;
using weft::Tensor;
using weft::Var;

namespace {

/// One number of several results, so that each function below has one type.
template <class X>
auto total(const X& x) {
  return sum(x * x * 0.5 + x).eval();
}

template <class D>
using V = Var<double, D>;

/// Regular matrices (numbers() alone gives ones of rank 2) with different singular values.
template <class D>
V<D> regular(const Shape& shape, double first = 0) {
  return parameter(numbers<D>(shape, first) +
                   weft::eye<double>(shape[shape.rank() - 2], shape[shape.rank() - 1], D{}) * 2.0);
}

template <class D>
V<D> symmetric(const V<D>& x) {
  return matmul(x, x.transpose(-1, -2)) + x + x.transpose(-1, -2);
}

template <class D>
struct Case {
  std::string name;
  V<D> (*f)(const V<D>& x);
  Shape shape;
};

template <class D>
V<D> definite(const V<D>& x) {
  return matmul(x, x.transpose(-1, -2)) + weft::eye<double>(x.shape()[x.rank() - 1], D{});
}

using C = weft::complex<double>;
template <class D>
using Z = Var<C, D>;

/// Complex matrices whose real and imaginary parts are x(0) and x(1), and numbers of both parts.
template <class D>
Z<D> complex_of(const V<D>& x) {
  return weft::cast<C>(x(0)) + weft::cast<C>(x(1)) * C(0, 0.5);
}
template <class D>
V<D> parts(const Z<D>& z) {
  return real(z) * 0.7 - imag(z);
}
template <class D>
Z<D> hermitian(const Z<D>& z) {
  return matmul(z, conj(z.transpose(-1, -2)));
}
template <class D>
V<D> lengths(const Z<D>& z) {
  return square(abs(z));
}

}  // namespace

TEST_CASE_TEMPLATE("gradients of one matrix", D, TEST_DEVICES) {
  using X = const V<D>&;
  const Case<D> cases[] = {
      {"inv", [](X x) -> V<D> { return inv(x); }, {2, 3, 3}},
      {"inv, large",
       [](X x) -> V<D> { return total(inv(x + 10.0 * weft::eye<double>(17, D{}))); },
       {17, 17}},
      {"det", [](X x) -> V<D> { return det(x); }, {2, 3, 3}},
      {"slogdet", [](X x) -> V<D> { return slogdet(x).logabsdet; }, {2, 3, 3}},
      {"cholesky", [](X x) -> V<D> { return cholesky(definite<D>(x)); }, {2, 3, 3}},
      {"qr, tall q", [](X x) -> V<D> { return qr(x).q; }, {2, 4, 3}},
      {"qr, tall r", [](X x) -> V<D> { return qr(x).r; }, {2, 4, 3}},
      {"qr, wide q", [](X x) -> V<D> { return qr(x).q; }, {2, 4}},
      {"qr, wide r", [](X x) -> V<D> { return qr(x).r; }, {2, 4}},
      {"eigh values", [](X x) -> V<D> { return eigh(symmetric<D>(x)).eigenvalues; }, {2, 3, 3}},
      {"eigh vectors",
       [](X x) -> V<D> { return square(eigh(symmetric<D>(x)).eigenvectors); },
       {3, 3}},
      {"eigvalsh", [](X x) -> V<D> { return eigvalsh(symmetric<D>(x)); }, {3, 3}},
      {"svdvals", [](X x) -> V<D> { return svdvals(x); }, {2, 4, 3}},
      {"svd u, tall", [](X x) -> V<D> { return square(svd(x).u); }, {4, 3}},
      {"svd vh, tall", [](X x) -> V<D> { return square(svd(x).vh); }, {4, 3}},
      {"svd u, wide", [](X x) -> V<D> { return square(svd(x).u); }, {2, 4}},
      {"svd vh, wide", [](X x) -> V<D> { return square(svd(x).vh); }, {2, 4}},
      {"svd together",
       [](X x) -> V<D> {
         const auto [u, s, vh] = svd(x);
         return matmul(u * exp(s.unsqueeze(-2)), vh);
       },
       {3, 4}},
      {"pinv, tall", [](X x) -> V<D> { return pinv(x); }, {2, 4, 3}},
      {"pinv, wide", [](X x) -> V<D> { return pinv(x); }, {3, 4}},
      {"matrix_exp", [](X x) -> V<D> { return matrix_exp(x); }, {2, 3, 3}},
      {"matrix_exp, scaled", [](X x) -> V<D> { return matrix_exp(x * 6.0) * 1e-4; }, {2, 2}},
      {"matrix_power", [](X x) -> V<D> { return matrix_power(x, 5) * 0.01; }, {2, 3, 3}},
      {"matrix_power, negative", [](X x) -> V<D> { return matrix_power(x, -2); }, {3, 3}},
      {"trace", [](X x) -> V<D> { return trace(x, 1); }, {2, 3, 4}},
      {"frobenius", [](X x) -> V<D> { return matrix_norm(x); }, {2, 3, 4}},
      {"nuclear", [](X x) -> V<D> { return matrix_norm(x, weft::MatrixNorm::nuclear); }, {3, 4}},
      {"two", [](X x) -> V<D> { return matrix_norm(x, weft::MatrixNorm::two); }, {3, 4}},
      {"one", [](X x) -> V<D> { return matrix_norm(x, weft::MatrixNorm::one); }, {2, 3, 4}},
      {"infinity", [](X x) -> V<D> { return matrix_norm(x, weft::MatrixNorm::infinity); }, {3, 4}},
      {"cond", [](X x) -> V<D> { return cond(x); }, {3, 3}},
      {"vector_norm", [](X x) -> V<D> { return vector_norm(x, 3, axis(-1)); }, {3, 4}},
      {"vector_norm, negative", [](X x) -> V<D> { return vector_norm(x, -1.5, axis(-1)); }, {2, 3}},
      {"vander", [](X x) -> V<D> { return vander(x, 4); }, {2, 3}},
      {"lu l", [](X x) -> V<D> { return lu(x).l; }, {2, 3, 3}},
      {"lu u", [](X x) -> V<D> { return lu(x).u; }, {2, 3, 3}},
      {"lu l, tall", [](X x) -> V<D> { return lu(x).l; }, {2, 4, 2}},
      {"lu u, tall", [](X x) -> V<D> { return lu(x).u; }, {4, 2}},
      {"lu u, a row more", [](X x) -> V<D> { return lu(x).u; }, {2, 5, 4}},
      {"lu l, wide", [](X x) -> V<D> { return lu(x).l; }, {2, 2, 4}},
      {"lu u, wide", [](X x) -> V<D> { return lu(x).u; }, {2, 4}},
      {"lu_factor, tall", [](X x) -> V<D> { return lu_factor(x).lu; }, {4, 3}},
      {"lu_factor, wide", [](X x) -> V<D> { return lu_factor(x).lu; }, {2, 3, 4}},
      {"eigvals", [](X x) -> V<D> { return parts<D>(eigvals(square(x) * 3.0)); }, {2, 3, 3}},
      {"eig", [](X x) -> V<D> { return lengths<D>(eig(square(x) * 3.0).eigenvectors); }, {3, 3}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK_NOTHROW(gradcheck(c.f, regular<D>(c.shape)));
  }
}

TEST_CASE_TEMPLATE("gradients of complex matrices", D, TEST_DEVICES) {
  using X = const V<D>&;
  const Case<D> cases[] = {
      {"inv", [](X x) -> V<D> { return parts<D>(inv(complex_of<D>(x))); }, {2, 3, 3}},
      {"det", [](X x) -> V<D> { return parts<D>(det(complex_of<D>(x))); }, {2, 2, 3, 3}},
      {"slogdet", [](X x) -> V<D> { return slogdet(complex_of<D>(x)).logabsdet; }, {2, 3, 3}},
      {"solve",
       [](X x) -> V<D> {
         const Z<D> z = complex_of<D>(x);
         return parts<D>(solve(z, matmul(z, z)(weft::all, weft::slice(0, 2))));
       },
       {2, 3, 3}},
      {"cholesky",
       [](X x) -> V<D> { return parts<D>(cholesky(hermitian<D>(complex_of<D>(x)))); },
       {2, 3, 3}},
      {"triangular",
       [](X x) -> V<D> {
         const Z<D> z = complex_of<D>(x);
         return parts<D>(triangular_solve(z, z, {.upper = true, .transposed = true}));
       },
       {2, 3, 3}},
      {"qr, tall", [](X x) -> V<D> { return parts<D>(qr(complex_of<D>(x)).q); }, {2, 4, 3}},
      {"qr, wide", [](X x) -> V<D> { return parts<D>(qr(complex_of<D>(x)).r); }, {2, 3, 4}},
      {"lu", [](X x) -> V<D> { return parts<D>(lu_factor(complex_of<D>(x)).lu); }, {2, 3, 3}},
      {"lu_solve",
       [](X x) -> V<D> {
         const Z<D> z = complex_of<D>(x);
         const auto f = lu_factor(z);
         return parts<D>(lu_solve(f, z.narrow(-1, 0, 2)) * lu_solve(f, z.narrow(-1, 1, 2), true));
       },
       {2, 3, 3}},
      {"svdvals", [](X x) -> V<D> { return svdvals(complex_of<D>(x)); }, {2, 4, 3}},
      {"svd, its vectors",
       [](X x) -> V<D> {
         const auto [u, s, vh] = svd(complex_of<D>(x));
         return parts<D>(matmul(u, vh));
       },
       {2, 4, 3}},
      {"eigvalsh", [](X x) -> V<D> { return eigvalsh(hermitian<D>(complex_of<D>(x))); }, {2, 3, 3}},
      {"eigh",
       [](X x) -> V<D> { return lengths<D>(eigh(hermitian<D>(complex_of<D>(x))).eigenvectors); },
       {2, 3, 3}},
      {"eig",
       [](X x) -> V<D> { return lengths<D>(eig(complex_of<D>(x)).eigenvectors); },
       {2, 3, 3}},
      {"pinv", [](X x) -> V<D> { return parts<D>(pinv(complex_of<D>(x))); }, {2, 4, 3}},
      {"matrix_exp", [](X x) -> V<D> { return parts<D>(matrix_exp(complex_of<D>(x))); }, {2, 2, 2}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK_NOTHROW(gradcheck(
        c.f, parameter(numbers<D>(c.shape, 0.3) * numbers<D>(c.shape, 1) +
                       numbers<D>({2, 1, 1}, 0.5) * weft::eye<double>(c.shape[c.shape.rank() - 2],
                                                                      c.shape[c.shape.rank() - 1],
                                                                      D{}))));
  }
  const Z<D> z = complex_of<D>(regular<D>({2, 3, 3}));
  const auto phases = [&] {
    parts<D>(eig(z).eigenvectors).backward(weft::ones<double>({3, 3}, D{}));
  };
  CHECK_SAYS("[eig] a gradient that depends on the phases", phases());
}

TEST_CASE_TEMPLATE("gradients of two matrices", D, TEST_DEVICES) {
  using X = const V<D>&;
  const auto a = regular<D>({2, 3, 3});
  const auto one = regular<D>({3, 3});
  const auto b = parameter(numbers<D>({2, 3, 2}, 0.2));
  const auto flat = parameter(numbers<D>({3, 2}, 0.4));
  const auto vector = parameter(numbers<D>({3}, 0.1));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return solve(x, y); }, a, b));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return solve(x, y); }, a, flat));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return solve(x, y); }, one, b));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return solve(x, y); }, one, vector));
  for (int how = 0; how < 8; ++how) {
    const weft::linalg::Triangle t{(how & 1) != 0, (how & 2) != 0, (how & 4) != 0};
    CAPTURE(how);
    CHECK_NOTHROW(gradcheck([=](X x, X y) -> V<D> { return triangular_solve(x, y, t); }, a, flat));
  }
  CHECK_NOTHROW(gradcheck(
      [](X x, X y) -> V<D> { return cholesky_solve(y, cholesky(definite<D>(x))); }, one, flat));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return lstsq(x, y).solution; }, regular<D>({4, 3}),
                          parameter(numbers<D>({4, 2}, 1))));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return lstsq(x, y).residuals; },
                          regular<D>({4, 3}), parameter(numbers<D>({4, 2}, 1))));
  const auto factors = lu_factor(a.value());
  CHECK_NOTHROW(gradcheck([&](X y) -> V<D> { return lu_solve(factors, y); }, flat));
  CHECK_NOTHROW(gradcheck([&](X y) -> V<D> { return lu_solve(factors, y, true); }, b));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return lu_solve(lu_factor(x), y); }, a, flat));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return lu_solve(lu_factor(x), y, true); }, a, b));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return kron(x, y); }, a, flat));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return cdist(x, y.t(), 3); }, a, flat));
  CHECK_NOTHROW(
      gradcheck([](X x, X y) -> V<D> { return einsum("bij,jk,lj->bikl", x, y, x(0)); }, a, flat));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return cross(x, y, 0); }, flat,
                          parameter(numbers<D>({3, 1}, 0.1))));
  CHECK_NOTHROW(gradcheck([](X x, X y) -> V<D> { return multi_dot(x, y, y.t(), x); }, one, flat));
}

TEST_CASE_TEMPLATE("a tensor beside a Var, an expression, and what is not recorded", D,
                   TEST_DEVICES) {
  const auto a = regular<D>({3, 3});
  const Tensor<double, D> b = numbers<D>({3, 1});
  V<D> y = sum(solve(a * 2.0, b));
  y.backward();
  const auto by_expression = a.grad().clone();
  a.zero_grad();
  V<D> z = sum(matmul(inv(a), b)) * 0.5;
  z.backward();
  CHECK(test::off(by_expression, a.grad()) < 1e-12);
  V<D> own = sum(cdist(a, a));  // distances of 0 have no gradient
  a.zero_grad();
  own.backward();
  CHECK(all(isfinite(a.grad())).item());
  const weft::NoGrad guard;
  CHECK(!V<D>(det(a)).requires_grad());
}

TEST_CASE_TEMPLATE("errors of a backward pass", D, TEST_DEVICES) {
  const auto a = regular<D>({4, 3});
  V<D> q = sum(qr(a, weft::Factors::full).q);
  CHECK_SAYS("[qr] a gradient of full factors of shape (4, 3), expected Factors::reduced",
             q.backward());
  V<D> u = sum(svd(a, weft::Factors::full).u);
  CHECK_SAYS("[svd] a gradient of full factors", u.backward());
}
