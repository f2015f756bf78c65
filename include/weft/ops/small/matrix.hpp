// norm, transpose, det, inv, solve, cholesky, eigh of tensors of Small, each matrix an element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/ops/small/factor.hpp"
#include "weft/ops/small/lift.hpp"

namespace weft::op {

struct small_norm : OfSmall {
  static constexpr const char* text = "norm";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: norm takes Small");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static auto value(const Small<T, R, C>& x) {
    return norm(x);
  }
  template <int, class T, class X>
  WEFT_HD static X vjp(T g, const X& x, T y) {
    return y > 0 ? x * (g / y) : X::zeros();
  }
};

struct small_normalize : OfSmall {
  static constexpr const char* text = "normalize";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: normalize takes Small");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static auto value(const Small<T, R, C>& x) {
    return normalize(x);
  }
  template <int, class X>
  WEFT_HD static X vjp(const X& g, const X& x, const X& y) {
    return (g - y * dot(g, y)) / norm(x);
  }
};

struct small_transpose : OfSmall {
  static constexpr const char* text = "transpose";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: transpose takes Small");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x) {
    return transpose(x);
  }
  template <int, class G, class X>
  WEFT_HD static constexpr X vjp(const G& g, const X&, const G&) {
    return transpose(g);
  }
};

struct small_trace : OfSmall {
  static constexpr const char* text = "trace";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: trace of Small takes square matrices");
    return takes;
  }
  template <class T, int N>
  WEFT_HD static constexpr T value(const Small<T, N, N>& x) {
    return trace(x);
  }
  template <int, class T, class X>
  WEFT_HD static constexpr X vjp(T g, const X&, T) {
    return X::identity() * g;
  }
};

struct small_det : OfSmall {
  static constexpr const char* text = "det";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: det of Small takes square matrices");
    return takes;
  }
  template <class T, int N>
  WEFT_HD static T value(const Small<T, N, N>& x) {
    return det(x);
  }
  /// det(x) x^-T; NaN where x is singular.
  template <int, class T, class X>
  WEFT_HD static X vjp(T g, const X& x, T y) {
    return transpose(inv(x)) * (g * y);
  }
};

struct small_inv : OfSmall {
  static constexpr const char* text = "inv";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: inv of Small takes square matrices");
    return takes;
  }
  template <class T, int N>
  WEFT_HD static auto value(const Small<T, N, N>& x) {
    return inv(x);
  }
  template <int, class X>
  WEFT_HD static X vjp(const X& g, const X&, const X& y) {
    return -(transpose(y) * g * transpose(y));
  }
};

struct small_solve : OfSmall {
  static constexpr const char* text = "solve";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes,
                  "weft: solve of Small takes a square matrix and a right-hand side of as many "
                  "rows and the same number type");
    return takes;
  }
  template <class T, int N, int C>
  WEFT_HD static auto value(const Small<T, N, N>& a, const Small<T, N, C>& b) {
    return solve(a, b);
  }
  template <int I, class A, class B>
  WEFT_HD static auto vjp(const B& g, const A& a, const B&, const B& x) {
    const B back = solve(transpose(a), g);
    if constexpr (I == 0) {
      return -(back * transpose(x));
    } else {
      return back;
    }
  }
};

struct small_cholesky : OfSmall {
  static constexpr const char* text = "cholesky";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: cholesky of Small takes square matrices");
    return takes;
  }
  template <class T, int N>
  WEFT_HD static auto value(const Small<T, N, N>& x) {
    return cholesky(x);
  }
};

struct small_eigenvalues : OfSmall {
  static constexpr const char* text = "eigvalsh";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: eigvalsh of Small takes square matrices of up to 4 x 4");
    return takes;
  }
  template <class T, int N>
    requires(N <= linalg::small_eigh_size)
  WEFT_HD static auto value(const Small<T, N, N>& x) { return eigh(x).eigenvalues; }
};
struct small_eigenvectors : OfSmall {
  static constexpr const char* text = "eigh";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: eigh of Small takes square matrices of up to 4 x 4");
    return takes;
  }
  template <class T, int N>
    requires(N <= linalg::small_eigh_size)
  WEFT_HD static auto value(const Small<T, N, N>& x) { return eigh(x).eigenvectors; }
};

struct small_diagonal_matrix : OfSmall {
  static constexpr const char* text = "diagonal_matrix";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: diagonal_matrix of Small takes vectors");
    return takes;
  }
  template <class T, int N>
  WEFT_HD static constexpr auto value(const Small<T, N>& x) {
    return diagonal_matrix(x);
  }
  template <int, class T, int N>
  WEFT_HD static constexpr auto vjp(const Small<T, N, N>& g, const Small<T, N>&,
                                    const Small<T, N, N>&) {
    Small<T, N> out{};
    for (int i = 0; i < N; ++i) out[i] = g(i, i);
    return out;
  }
};

}  // namespace weft::op

namespace weft {

/// Each element divided by its norm, or by 1e-12 where that is larger.
template <SmallLike X>
auto normalize(const X& x, const Axes& = {}, double = 0) {
  return detail::lift_small(op::small_normalize{}, x);
}
/// Up to 4 x 4 by minors, above by LU decomposition with row exchanges.
template <SmallLike X>
constexpr auto det(X&& x) {
  return detail::lift_small(op::small_det{}, static_cast<X&&>(x));
}
/// Up to 4 x 4 by cofactors, above by LU decomposition; infinities and NaN where singular.
template <SmallLike X>
constexpr auto inv(X&& x) {
  return detail::lift_small(op::small_inv{}, static_cast<X&&>(x));
}
/// The lower factor of symmetric matrices; NaN where they are not positive definite.
template <SmallLike X>
constexpr auto cholesky(X&& x) {
  return detail::lift_small(op::small_cholesky{}, static_cast<X&&>(x));
}
/// Matrices with the vectors on their diagonals.
template <SmallLike X>
constexpr auto diagonal_matrix(X&& x) {
  return detail::lift_small(op::small_diagonal_matrix{}, static_cast<X&&>(x));
}

/// The Euclidean norm of each element; of a matrix, the Frobenius norm.
template <SmallLike X, class... Options>
auto norm(X&& x, Options...) {
  static_assert(sizeof...(Options) == 0,
                "weft: norm of Small is that of each element: write norm(norm(x), axis(...)) for "
                "that of several");
  return detail::lift_small(op::small_norm{}, static_cast<X&&>(x));
}

/// The transposes; a vector becomes a row.
template <SmallLike X>
auto transpose(const X& x) {
  return detail::lift_small(op::small_transpose{}, x);
}

/// The sums of the diagonals. (The number is a parameter of the same function for tensors.)
template <SmallLike X>
auto trace(X&& x, int64_t = 0) {
  return detail::lift_small(op::small_trace{}, static_cast<X&&>(x));
}

/// X with A X = B for each element, by elimination with row exchanges; infinities and NaN
/// where A is singular.
template <SmallLike A, SmallLike B>
auto solve(A&& a, B&& b) {
  return detail::lift_small(op::small_solve{}, static_cast<A&&>(a), static_cast<B&&>(b));
}
template <SmallLike A, SmallValue B>
auto solve(A&& a, const B& b) {
  return detail::lift_small(op::small_solve{}, static_cast<A&&>(a), b);
}
template <SmallValue A, SmallLike B>
auto solve(const A& a, B&& b) {
  return detail::lift_small(op::small_solve{}, a, static_cast<B&&>(b));
}

/// Eigenvalues in ascending order of symmetric matrices of up to 4 x 4, whose lower triangle is
/// read.
template <SmallLike X>
auto eigvalsh(X&& x) {
  return detail::lift_small(op::small_eigenvalues{}, static_cast<X&&>(x));
}
/// The two expressions of a decomposition.
template <class W, class V>
struct EighOfSmall {
  W eigenvalues;
  V eigenvectors;
};
template <class W, class V>
EighOfSmall(W, V) -> EighOfSmall<W, V>;

/// {eigenvalues, eigenvectors as columns} of such, `auto [w, v] = eigh(x)`; each may stand in a
/// larger expression.
template <SmallLike X>
auto eigh(X&& x) {
  return EighOfSmall{detail::lift_small(op::small_eigenvalues{}, x),
                     detail::lift_small(op::small_eigenvectors{}, x)};
}

}  // namespace weft
