// Orthogonal polynomials: Chebyshev's four kinds, Hermite's two, Laguerre's and Legendre's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/unary.hpp"

namespace weft {

namespace op {
/// One step of a three-term recurrence: p(k + 1) = (slope x + shift) p(k) - back p(k - 1).
template <class T>
struct PolynomialStep {
  T slope;
  T shift;
  T back;
};

// The families by their steps; step 0 gives p(1) (Abramowitz and Stegun, 22.7).
struct chebyshev_t {
  static constexpr const char* text = "chebyshev_polynomial_t";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int k) {
    return {T(k == 0 ? 1 : 2), T(0), T(1)};
  }
};
struct chebyshev_u {
  static constexpr const char* text = "chebyshev_polynomial_u";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int) {
    return {T(2), T(0), T(1)};
  }
};
struct chebyshev_v {
  static constexpr const char* text = "chebyshev_polynomial_v";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int k) {
    return {T(2), T(k == 0 ? -1 : 0), T(1)};
  }
};
struct chebyshev_w {
  static constexpr const char* text = "chebyshev_polynomial_w";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int k) {
    return {T(2), T(k == 0 ? 1 : 0), T(1)};
  }
};
struct hermite_h {
  static constexpr const char* text = "hermite_polynomial_h";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int k) {
    return {T(2), T(0), T(2 * k)};
  }
};
struct hermite_he {
  static constexpr const char* text = "hermite_polynomial_he";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int k) {
    return {T(1), T(0), T(k)};
  }
};
struct laguerre_l {
  static constexpr const char* text = "laguerre_polynomial_l";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int k) {
    const T scale = T(1) / T(k + 1);
    return {-scale, T(2 * k + 1) * scale, T(k) * scale};
  }
};
struct legendre_p {
  static constexpr const char* text = "legendre_polynomial_p";
  template <class T>
  WEFT_HD static constexpr PolynomialStep<T> step(int k) {
    const T scale = T(1) / T(k + 1);
    return {T(2 * k + 1) * scale, T(0), T(k) * scale};
  }
};

/// Polynomial number n of a family, by its recurrence.
template <class Family>
struct polynomial {
  using domain = Floating;
  static constexpr const char* text = Family::text;
  static constexpr int arity = 1;
  int n = 0;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    T before(0);
    T p(1);
    for (int k = 0; k < n; ++k) {
      const auto s = Family::template step<T>(k);
      const T next = (s.slope * x + s.shift) * p - s.back * before;
      before = p;
      p = next;
    }
    return p;
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    T before(0);
    T p(1);
    T slope_before(0);
    T slope(0);
    for (int k = 0; k < n; ++k) {
      const auto s = Family::template step<T>(k);
      const T factor = s.slope * x + s.shift;
      const T next_slope = s.slope * p + factor * slope - s.back * slope_before;
      const T next = factor * p - s.back * before;
      before = p;
      p = next;
      slope_before = slope;
      slope = next_slope;
    }
    return slope;
  }
};
}  // namespace op

namespace detail {
/// Polynomial n of a family.
template <class Family, class X>
auto polynomial_of(X&& x, int n) {
  if (n < 0) fail<ValueError>(Family::text, "n = ", n, ", expected at least 0");
  return lift(op::polynomial<Family>{n}, static_cast<X&&>(x));
}
}  // namespace detail

/// Chebyshev's polynomial of the first kind, T_n(cos t) = cos(n t).
template <ExpressionLike X>
auto chebyshev_polynomial_t(X&& x, int n) {
  return detail::polynomial_of<op::chebyshev_t>(static_cast<X&&>(x), n);
}
/// Chebyshev's polynomial of the second kind, U_n(cos t) = sin((n + 1) t) / sin(t).
template <ExpressionLike X>
auto chebyshev_polynomial_u(X&& x, int n) {
  return detail::polynomial_of<op::chebyshev_u>(static_cast<X&&>(x), n);
}
/// Chebyshev's polynomial of the third kind, V_n(cos t) = cos((n + 1/2) t) / cos(t / 2).
template <ExpressionLike X>
auto chebyshev_polynomial_v(X&& x, int n) {
  return detail::polynomial_of<op::chebyshev_v>(static_cast<X&&>(x), n);
}
/// Chebyshev's polynomial of the fourth kind, W_n(cos t) = sin((n + 1/2) t) / sin(t / 2).
template <ExpressionLike X>
auto chebyshev_polynomial_w(X&& x, int n) {
  return detail::polynomial_of<op::chebyshev_w>(static_cast<X&&>(x), n);
}
/// Hermite's polynomial with the weight exp(-x^2), the physicists'.
template <ExpressionLike X>
auto hermite_polynomial_h(X&& x, int n) {
  return detail::polynomial_of<op::hermite_h>(static_cast<X&&>(x), n);
}
/// Hermite's polynomial with the weight exp(-x^2 / 2), the probabilists'.
template <ExpressionLike X>
auto hermite_polynomial_he(X&& x, int n) {
  return detail::polynomial_of<op::hermite_he>(static_cast<X&&>(x), n);
}
/// Laguerre's polynomial, of weight exp(-x) on [0, infinity).
template <ExpressionLike X>
auto laguerre_polynomial_l(X&& x, int n) {
  return detail::polynomial_of<op::laguerre_l>(static_cast<X&&>(x), n);
}
/// Legendre's polynomial, of weight 1 on [-1, 1].
template <ExpressionLike X>
auto legendre_polynomial_p(X&& x, int n) {
  return detail::polynomial_of<op::legendre_p>(static_cast<X&&>(x), n);
}

}  // namespace weft
