// poly, roots, polyder, polyint, polydiv: polynomials as vectors of coefficients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/linalg/eig.hpp"

// Coefficients are in NumPy's order, from the highest power down to the constant. The value at x is
// matmul(vander(x, p.size(0), false), p), a product convolve(p, q).

namespace weft {

/// What polydiv gives: u = quotient * v + remainder.
template <class X>
struct PolydivOf {
  X quotient;
  X remainder;
};

namespace linalg {
[[gnu::noinline]] inline void check_coefficients(const char* operation, const Shape& shape,
                                                 int64_t least) {
  if (shape.rank() != 1 || shape[0] < least) {
    fail<ShapeError>(operation, "coefficients of shape ", shape, ", expected a vector of at least ",
                     least);
  }
}
template <class T, class D>
Tensor<T, D> vector_on(const std::vector<T>& values, D device) {
  const auto count = static_cast<int64_t>(values.size());
  const Tensor<T, Cpu> out = empty<T>({count}, Cpu{});
  for (int64_t i = 0; i < count; ++i) out.data()[i] = values[static_cast<std::size_t>(i)];
  return out.to(device);
}
}  // namespace linalg

/// The coefficients (n + 1) of the polynomial with these n roots, whose first one is 1.
template <ExpressionLike X>
auto poly(const X& roots) {
  using T = typename X::value_type;
  static_assert(linalg::is_field<T>, "weft: roots are floating-point or complex numbers");
  linalg::check_coefficients("poly", roots.shape(), 0);
  const auto x = linalg::settled(roots);
  std::vector<T> out{T(1)};
  for (const T root : x.to_vector()) {
    out.push_back(T(0));
    for (std::size_t i = out.size() - 1; i > 0; --i) out[i] = out[i] - root * out[i - 1];
  }
  return linalg::vector_on(out, x.device());
}

/// The roots of a polynomial, complex and in no particular order: the eigenvalues of its companion
/// matrix (Golub and Van Loan, Matrix Computations, 7.4.6). Leading zeros are ignored.
template <ExpressionLike X>
auto roots(const X& p) {
  if constexpr (linalg::takes<X>()) {
    using T = typename X::value_type;
    using C = complex<real_t<T>>;
    linalg::check_coefficients("roots", p.shape(), 0);
    const auto x = linalg::settled(p);
    std::vector<T> c = x.to_vector();
    std::size_t first = 0;
    while (first < c.size() && c[first] == T(0)) ++first;
    std::size_t last = c.size();
    while (last > first && c[last - 1] == T(0)) --last;  // each is a root of 0
    const auto zeros_behind = static_cast<int64_t>(c.size() - last);
    const auto n = static_cast<int64_t>(last > first ? last - first - 1 : 0);
    const auto out = zeros<C>({last > first ? n + zeros_behind : 0}, x.device());
    if (n > 0) {
      const Tensor<T, Cpu> companion = zeros<T>({n, n}, Cpu{});
      for (int64_t i = 0; i < n; ++i) {
        companion.at(0, i) = T(0) - c[first + 1 + static_cast<std::size_t>(i)] / c[first];
        if (i + 1 < n) companion.at(i + 1, i) = T(1);
      }
      out.narrow(0, 0, n).assign(eigvals(companion.to(x.device())));
    }
    return out;
  }
}

/// The coefficients of the derivative.
template <ExpressionLike X>
auto polyder(const X& p) {
  using T = typename X::value_type;
  linalg::check_coefficients("polyder", p.shape(), 1);
  const auto x = linalg::settled(p);
  const int64_t n = x.shape()[0] - 1;
  const auto powers = generated({n}, op::affine<int64_t>{n, -1});
  return (x.narrow(0, 0, n) * cast<T>(powers)).eval();
}

/// The coefficients of the integral that is `constant` at 0.
template <ExpressionLike X>
auto polyint(const X& p, compute_t<typename X::value_type> constant = {}) {
  using T = typename X::value_type;
  static_assert(linalg::is_field<T>, "weft: an integral has floating-point or complex numbers");
  linalg::check_coefficients("polyint", p.shape(), 0);
  const auto x = linalg::settled(p);
  const int64_t n = x.shape()[0];
  const auto out = full<T>({n + 1}, T(constant), x.device());
  const auto powers = generated({n}, op::affine<int64_t>{n, -1});
  if (n > 0) out.narrow(0, 0, n).assign(x / cast<T>(powers));
  return out;
}

/// {quotient, remainder} of two polynomials; the remainder has no leading zeros, unless it is 0.
/// Throws ValueError for a divisor that begins with 0.
template <ExpressionLike U, ExpressionLike V>
auto polydiv(const U& u, const V& v) {
  using T = typename U::value_type;
  static_assert(linalg::is_field<T> && std::is_same_v<T, typename V::value_type>,
                "weft: polydiv takes two vectors of the same floating-point or complex type");
  linalg::check_coefficients("polydiv", u.shape(), 1);
  linalg::check_coefficients("polydiv", v.shape(), 1);
  const auto x = linalg::settled(u);
  std::vector<T> rest = x.to_vector();
  const std::vector<T> by = linalg::settled(v).to_vector();
  if (by[0] == T(0)) {
    fail<ValueError>("polydiv", "a divisor whose first coefficient is 0, expected a nonzero one");
  }
  std::vector<T> quotient;
  for (std::size_t i = 0; i + by.size() <= rest.size(); ++i) {
    quotient.push_back(rest[i] / by[0]);
    rest[i] = T(0);
    for (std::size_t j = 1; j < by.size(); ++j) rest[i + j] = rest[i + j] - quotient[i] * by[j];
  }
  if (quotient.empty()) quotient.push_back(T(0));
  std::size_t first = 0;
  while (first + 1 < rest.size() && rest[first] == T(0)) ++first;
  rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(first));
  const auto q = linalg::vector_on(quotient, x.device());
  return PolydivOf<std::remove_cvref_t<decltype(q)>>{q, linalg::vector_on(rest, x.device())};
}

}  // namespace weft
