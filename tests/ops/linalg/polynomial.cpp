// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/polynomial.hpp>

#include <algorithm>

#include "linear_algebra.hpp"

using test::off;
using weft::Tensor;
using weft::tensor;

namespace {
/// The real parts in order, where the imaginary ones are 0.
std::vector<double> sorted(const std::vector<weft::complex<double>>& x) {
  std::vector<double> out;
  for (const auto& z : x) {
    CHECK(std::fabs(z.im) < 1e-7);
    out.push_back(z.re);
  }
  std::sort(out.begin(), out.end());
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("polynomials: roots, from roots, derivatives, integrals, division", D,
                   TEST_DEVICES) {
  // (x - 1)(x + 2)(x - 3) = x^3 - 2 x^2 - 5 x + 6
  const auto p = tensor<double>({1, -2, -5, 6}, D{});
  CHECK(off(weft::poly(tensor<double>({1, -2, 3}, D{})), p) < 1e-14);
  const auto found = sorted(weft::roots(p).to_vector());
  REQUIRE(found.size() == 3);
  CHECK(found[0] == doctest::Approx(-2));
  CHECK(found[1] == doctest::Approx(1));
  CHECK(found[2] == doctest::Approx(3));
  // Zeros in front do not count, those behind are roots of 0: 2 x^3 + 2 x.
  const auto turn = weft::roots(tensor<double>({0, 2, 0, 2, 0}, D{})).to_vector();
  REQUIRE(turn.size() == 3);
  CHECK(std::fabs(turn[0].im) == doctest::Approx(1));
  CHECK(turn[0].im == doctest::Approx(-turn[1].im));
  CHECK(turn[2] == weft::complex<double>(0));
  CHECK(weft::roots(tensor<double>({0, 5}, D{})).size() == 0);
  CHECK(weft::roots(weft::zeros<double>({3}, D{})).size() == 0);
  CHECK(off(weft::polyder(p), tensor<double>({3, -4, -5}, D{})) == 0);
  CHECK(weft::polyder(p.narrow(0, 3, 1)).size() == 0);
  CHECK(off(weft::polyint(weft::polyder(p), 6), p) < 1e-15);
  // p = (x^2 + 1)(x - 2) - 6 x + 8
  const auto [quotient, remainder] = weft::polydiv(p, tensor<double>({1, 0, 1}, D{}));
  CHECK(off(quotient, tensor<double>({1, -2}, D{})) == 0);
  CHECK(off(remainder, tensor<double>({-6, 8}, D{})) == 0);
  const auto exact = weft::polydiv(p, tensor<double>({2, -2}, D{}));
  CHECK(off(exact.quotient, tensor<double>({0.5, -0.5, -3}, D{})) == 0);
  CHECK(off(exact.remainder, tensor<double>({0}, D{})) == 0);
  CHECK(off(weft::polydiv(p.narrow(0, 0, 1), p).quotient, tensor<double>({0}, D{})) == 0);
  CHECK_SAYS("[polydiv] a divisor whose first coefficient is 0",
             weft::polydiv(p, weft::zeros<double>({2}, D{})));
  CHECK_SAYS("[roots] coefficients of shape (1, 4), expected a vector",
             weft::roots(p.unsqueeze(0)));
}
