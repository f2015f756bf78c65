// matrix_power and matrix_exp: powers and the exponential of square matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/ops/join.hpp"
#include "weft/ops/linalg/solve.hpp"

namespace weft {

namespace linalg {

/// The numerator's coefficients of exp's Padé approximants; the denominator's alternate in sign.
template <class T>
struct Pade {
  static constexpr double of_7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
  static constexpr double of_13[] = {64764752532480000,
                                     32382376266240000,
                                     7771770303897600,
                                     1187353796428800,
                                     129060195264000,
                                     10559470521600,
                                     670442572800,
                                     33522128640,
                                     1323241920,
                                     40840800,
                                     960960,
                                     16380,
                                     182,
                                     1};
  static constexpr bool single = sizeof(real_t<T>) == 4;
  static constexpr int degree = single ? 7 : 13;
  /// Up to this 1-norm the approximant is exact to T (Higham 2005, table 2.3).
  static constexpr double bound = single ? 3.925724783138660 : 5.371920351148152;
  static constexpr real_t<T> at(int i) {
    return static_cast<real_t<T>>(single ? of_7[i] : of_13[i]);
  }
};

/// exp by scaling and squaring (Higham 2005, "The scaling and squaring method for the matrix
/// exponential revisited"): each matrix is halved until its norm is within the approximant's bound,
/// and the result squared as many times.
template <class T, class D>
Tensor<T, D> exp_of(const char* operation, const Tensor<T, D>& a) {
  using R = real_t<T>;
  using P = Pade<T>;
  const int64_t n = rows_of(a);
  const Shape batch = batch_of(a.shape());
  if (a.size() == 0) return a.clone();
  const Tensor<R, D> columns = sum(abs(a), axis(-2));
  const Tensor<R, D> norms = max(columns, axis(-1));
  const Tensor<R, Cpu> local = norms.to(Cpu{}).contiguous();
  const auto halvings = empty<std::int32_t>(batch);
  const auto scales = empty<R>(batch);
  int most = 0;
  for (int64_t i = 0; i < local.size(); ++i) {
    const double size = static_cast<double>(local.data()[i]);
    if (!std::isfinite(size)) {
      fail<ValueError>(operation, "matrix ", i, " of the batch is not finite");
    }
    const int s = size > P::bound ? static_cast<int>(std::ceil(std::log2(size / P::bound))) : 0;
    halvings.data()[i] = s;
    scales.data()[i] = static_cast<R>(std::ldexp(1.0, -s));
    most = s > most ? s : most;
  }
  const auto on_device = [&](const auto& x) { return x.reshape(with(batch, 1, 1)).to(a.device()); };
  const Tensor<T, D> x = a * cast<T>(on_device(scales));
  const Tensor<T, D> one = eye<T>(n, n, a.device());
  const Tensor<T, D> square = product(x, x);
  Tensor<T, D> power = one.expand(a.shape());  // x^(2 i)
  Tensor<T, D> even = power * P::at(0);
  Tensor<T, D> odd = power * P::at(1);
  for (int i = 2; i <= P::degree; i += 2) {
    power = i == 2 ? square : product(power, square);
    if (i <= P::degree) even = even + power * P::at(i);
    if (i + 1 <= P::degree) odd = odd + power * P::at(i + 1);
  }
  odd = product(x, odd);
  Tensor<T, D> result = SolveRule{}.value(Tensor<T, D>(even - odd), Tensor<T, D>(even + odd));
  const auto rounds = on_device(halvings);
  for (int i = 0; i < most; ++i) {
    const Tensor<T, D> squared = product(result, result);
    result = where(rounds > std::int32_t(i), squared, result);
  }
  return result;
}

struct MatrixExpRule {
  static constexpr const char* text = "matrix_exp";

  template <class T, class D>
  Tensor<T, D> value(const Tensor<T, D>& a) const {
    return exp_of(text, a);
  }

  /// The upper right block of exp((A^H, g; 0, A^H)) (Mathias 1996, theorem 2.1).
  template <class G, class P>
  void backward(const G& g, const G&, const P& pulls, const G& a) const {
    const int64_t n = rows_of(a);
    const auto block =
        zeros<typename G::value_type>(with(batch_of(a.shape()), 2 * n, 2 * n), a.device());
    block.narrow(-2, 0, n).narrow(-1, 0, n).assign(adjoint(a));
    block.narrow(-2, n, n).narrow(-1, n, n).assign(adjoint(a));
    block.narrow(-2, 0, n).narrow(-1, n, n).assign(g);
    pulls.head(exp_of(text, block).narrow(-2, 0, n).narrow(-1, n, n));
  }
};

}  // namespace linalg

/// exp(A) = 1 + A + A^2 / 2 + ... of each matrix of a (..., n, n). Throws ValueError if one is not
/// finite. Waits for the GPU once, for the norms. Gradient: Mathias 1996, with twice the matrices'
/// size.
template <ExpressionLike X>
auto matrix_exp(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("matrix_exp", a.shape());
    return linalg::run(linalg::MatrixExpRule{}, linalg::settled(a));
  }
}

/// A^n of each matrix of a (..., m, m), by squaring: 2 log2(n) products at most. n = 0 gives ones
/// on the diagonal, and a negative n powers of the inverse.
template <ExpressionLike X>
auto matrix_power(X&& a, int64_t n) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("matrix_power", a.shape());
    auto base = linalg::settled(a);
    using T = typename std::remove_cvref_t<X>::value_type;
    using Y = decltype(base);
    if (n < 0) base = inv(base);
    auto left = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
    if (left == 0) {
      const int64_t rows = linalg::rows_of(base);
      return Y(eye<T>(rows, rows, base.device()).expand(base.shape()).clone());
    }
    while (left % 2 == 0) {
      base = matmul(base, base).eval();
      left /= 2;
    }
    Y result = base;
    while ((left /= 2) > 0) {
      base = matmul(base, base).eval();
      if (left % 2 == 1) result = matmul(result, base).eval();
    }
    return result;
  }
}

}  // namespace weft
