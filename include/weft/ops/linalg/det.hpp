// det and slogdet: determinants, and their logarithms where they would overflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/solve.hpp"

namespace weft {

/// What slogdet gives: det(A) = sign * exp(logabsdet).
template <class Sign, class Log>
struct SlogdetOf {
  Sign sign;
  Log logabsdet;
};

namespace linalg {

/// The diagonal of U and the number of row exchanges, for column-major matrices.
template <class T, class D>
struct Diagonal {
  Tensor<T, D> values;  // (..., n)
  Tensor<bool, D> odd;  // (...)
};
template <class T, class D>
Diagonal<T, D> lu_diagonal(const char* operation, const Tensor<T, D>& a) {
  const Shape batch = batch_of(a.shape());
  const int64_t n = rows_of(a);
  const auto x = by_columns(a);
  const auto pivots = factor_lu(operation, x, false);
  const auto places = generated({1, n}, op::affine<std::int32_t>{0, 1});
  const Tensor<int64_t, D> exchanges = sum(cast<int64_t>(pivots != places), axis(1));
  return {x.memory.diagonal(0, 1, 2).reshape(with(batch, n)),
          Tensor<bool, D>(exchanges % int64_t{2} == int64_t{1}).reshape(batch)};
}

struct DetRule {
  static constexpr const char* text = "det";

  template <class T, class D>
  Tensor<T, D> value(const Tensor<T, D>& a) const {
    const Shape batch = batch_of(a.shape());
    const int64_t n = rows_of(a);
    if (a.size() == 0) return ones<T>(batch, a.device());
    if (n <= small_size) {
      const auto x = a.contiguous();
      const auto out = empty<T>(batch, a.device());
      solver_of<D>::small_det(text, x.reshape({-1, n, n}), out.reshape({-1}));
      return out;
    }
    const auto d = lu_diagonal(text, a);
    return where(d.odd, T(-1), T(1)) * prod(d.values, axis(-1));
  }

  /// gA = g conj(det(A)) A^-H (Jacobi's formula).
  template <class G, class P>
  void backward(const G& g, const G& y, const P& pulls, const G& a) const {
    const G inverse = InvRule{}.value(a);
    const G scale = g * conjugate(y);
    pulls.head(scale.unsqueeze(-1).unsqueeze(-1) * adjoint(inverse));
  }
};

struct LogdetRule {
  static constexpr const char* text = "slogdet";

  template <class T, class D>
  auto value(const Tensor<T, D>& a) const {
    const auto d = lu_diagonal(text, a);
    return Tensor<real_t<T>, D>(sum(log(abs(d.values)), axis(-1)));
  }
  /// gA = g A^-H (Giles 2008, section 2.2.4); g is real.
  template <class R, class G, class P>
  void backward(const R& g, const R&, const P& pulls, const G& a) const {
    const G inverse = InvRule{}.value(a);
    pulls.head(as<typename G::value_type>(g).unsqueeze(-1).unsqueeze(-1) * adjoint(inverse));
  }
};

}  // namespace linalg

/// The determinant of each matrix of a (..., n, n), of shape (...); 0 if it is singular. Gradient:
/// Jacobi's formula, det(A) A^-T; a singular matrix is an error in a backward pass.
template <ExpressionLike X>
auto det(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("det", a.shape());
    return linalg::run(linalg::DetRule{}, linalg::settled(a));
  }
}

/// {sign, logabsdet} of each matrix of a (..., n, n): det(A) = sign * exp(logabsdet), even if
/// det(A) itself would overflow. A singular matrix has sign 0 and -infinity. The sign of a complex
/// matrix is a number of absolute value 1. Gradient of logabsdet: A^-T; the sign has none.
template <ExpressionLike X>
auto slogdet(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("slogdet", a.shape());
    const auto x = linalg::settled(a);
    const auto& values = linalg::value_of(x);
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    using D = typename std::remove_cvref_t<decltype(x)>::device_type;
    const auto d = linalg::lu_diagonal("slogdet", values);
    const Tensor<T, D> one = prod(sign(d.values), axis(-1));
    const Tensor<T, D> total = where(d.odd, T(-1), T(1)) * one;
    const auto logarithm = linalg::run(linalg::LogdetRule{}, x);
    return SlogdetOf<Tensor<T, D>, std::remove_cvref_t<decltype(logarithm)>>{total, logarithm};
  }
}

}  // namespace weft
