// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/polynomials.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"

using namespace weft;

namespace {
/// Polynomials 0 to 6 of a family at 0.35 against PyTorch's 5 and 6, and their slopes at n = 5.
template <class D, class Family, class F>
void check(Family, const F& f, double five, double six) {
  const Tensor<double, D> x = tensor({-0.7, 0.35, 1.5}).to(D{});
  CHECK(f(x, 0).eval().to_vector() == std::vector<double>{1, 1, 1});
  CHECK(f(x, 5).eval().to_vector()[1] == doctest::Approx(five).epsilon(1e-13));
  CHECK(f(x * 1.0, 6).eval().to_vector()[1] == doctest::Approx(six).epsilon(1e-12));
  const op::polynomial<Family> p{5};
  for (const double at : {-0.7, 0.35, 1.5}) {
    const double h = 1e-5;
    const double slope = (p.value(at + h) - p.value(at - h)) / (2 * h);
    CHECK(p.template derivative<0>(at, 0.) == doctest::Approx(slope).epsilon(1e-7));
  }
  CHECK_SAYS("n = -1, expected at least 0", f(x, -1));
}
}  // namespace

TEST_CASE_TEMPLATE("orthogonal polynomials have PyTorch's values", D, TEST_DEVICES) {
  // torch.special.chebyshev_polynomial_t(torch.tensor(0.35, dtype=torch.float64), 5) and so on
  check<D>(
      op::chebyshev_t{}, [](const auto& x, int n) { return chebyshev_polynomial_t(x, n); },
      0.976535, 0.5435245);
  check<D>(
      op::chebyshev_u{}, [](const auto& x, int n) { return chebyshev_polynomial_u(x, n); }, 0.89607,
      0.857149);
  check<D>(
      op::chebyshev_v{}, [](const auto& x, int n) { return chebyshev_polynomial_v(x, n); }, 1.12597,
      -0.038921);
  check<D>(
      op::chebyshev_w{}, [](const auto& x, int n) { return chebyshev_polynomial_w(x, n); }, 0.66617,
      1.753219);
  check<D>(
      op::hermite_h{}, [](const auto& x, int n) { return hermite_polynomial_h(x, n); }, 35.30807,
      -38.885351);
  check<D>(
      op::hermite_he{}, [](const auto& x, int n) { return hermite_polynomial_he(x, n); },
      4.8265021875, -9.710755484375);
  check<D>(
      op::laguerre_l{}, [](const auto& x, int n) { return laguerre_polynomial_l(x, n); },
      -0.205875799479167, -0.315047816644965);
  check<D>(
      op::legendre_p{}, [](const auto& x, int n) { return legendre_polynomial_p(x, n); },
      0.3224547265625, 0.222510663085937);
  const Tensor<float, D> edge = tensor({1.0F, -1.0F}).to(D{});
  CHECK(legendre_polynomial_p(edge, 3).eval().to_vector() == std::vector<float>{1, -1});
}
