// multi_dot, kron, cross, cdist, vander, trace, inner, vdot: products of matrices and of vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/join.hpp"
#include "weft/ops/linalg/einsum.hpp"
#include "weft/ops/linalg/solver.hpp"

namespace weft {

namespace linalg {

/// The product of parts first to last, cut where `cuts` says.
template <class Y>
Y chain(const std::vector<Y>& parts, const std::vector<int>& cuts, int first, int last) {
  if (first == last) return parts[static_cast<std::size_t>(first)];
  const auto n = static_cast<int>(parts.size());
  const int cut = cuts[static_cast<std::size_t>(first * n + last)];
  return matmul(chain(parts, cuts, first, cut), chain(parts, cuts, cut + 1, last)).eval();
}

/// Where to cut each piece of a chain of matrices for the fewest multiplications; sizes has the
/// rows of each and the columns of the last (Cormen et al., Introduction to Algorithms, 14.2).
[[gnu::noinline]] inline std::vector<int> best_cuts(const std::vector<double>& sizes) {
  const auto n = static_cast<int>(sizes.size()) - 1;
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  const auto size = [&](int i) { return sizes[static_cast<std::size_t>(i)]; };
  std::vector<double> cost(at(n, 0), 0);
  std::vector<int> cuts(at(n, 0), 0);
  for (int length = 2; length <= n; ++length) {
    for (int i = 0; i + length <= n; ++i) {
      const int j = i + length - 1;
      for (int cut = i; cut < j; ++cut) {
        const double c =
            cost[at(i, cut)] + cost[at(cut + 1, j)] + size(i) * size(cut + 1) * size(j + 1);
        if (cut == i || c < cost[at(i, j)]) {
          cost[at(i, j)] = c;
          cuts[at(i, j)] = cut;
        }
      }
    }
  }
  return cuts;
}

template <class X, class... Xs>
using chain_t =
    std::conditional_t<(weft::detail::has_var<X> || ... || weft::detail::has_var<Xs>),
                       Var<typename X::value_type, typename weft::detail::Evaluated<X>::device>,
                       Tensor<typename X::value_type, typename weft::detail::Evaluated<X>::device>>;

}  // namespace linalg

/// matmul(matmul(a, b), c) ... of two or more matrices in the order with the fewest
/// multiplications; the first and the last may be vectors.
template <ExpressionLike X, ExpressionLike... Xs>
auto multi_dot(const X& first, const Xs&... others) {
  if constexpr (linalg::takes<X, Xs...>()) {
    using Y = linalg::chain_t<X, Xs...>;
    const std::vector<Y> parts = {Y(linalg::settled(first)), Y(linalg::settled(others))...};
    std::vector<double> sizes;
    const std::size_t last = parts.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      const Shape& shape = parts[i].shape();
      if (shape.rank() != 2 && !(shape.rank() == 1 && (i == 0 || i == last))) {
        fail<ShapeError>("multi_dot", "operand ", static_cast<long long>(i), " of shape ", shape,
                         ", expected a matrix, or a vector as first or last");
      }
      if (i > 0) {
        const Shape& before = parts[i - 1].shape();
        if (before[before.rank() - 1] != shape[0]) {
          fail<ShapeError>("multi_dot", "shapes ", before, " and ", shape, ": the first has ",
                           before[before.rank() - 1], " columns and the second ", shape[0],
                           " rows, expected equal numbers");
        }
      }
      sizes.push_back(shape.rank() == 1 && i == 0 ? 1 : static_cast<double>(shape[0]));
    }
    const Shape& end = parts[last].shape();
    sizes.push_back(end.rank() == 1 ? 1 : static_cast<double>(end[1]));
    return linalg::chain(parts, linalg::best_cuts(sizes), 0, static_cast<int>(last));
  }
}

/// The Kronecker product of the matrices of a (..., m, n) and b (..., p, q): (..., m p, n q), with
/// blocks a(i, j) b. Batches broadcast.
template <ExpressionLike A, ExpressionLike B>
auto kron(A&& a, B&& b) {
  linalg::check_matrix("kron", a.shape());
  linalg::check_matrix("kron", b.shape());
  const auto x = linalg::settled(a);
  const auto y = linalg::settled(b);
  const Shape batch =
      weft::broadcast("kron", linalg::batch_of(x.shape()), linalg::batch_of(y.shape()));
  const int64_t rows = linalg::rows_of(x) * linalg::rows_of(y);
  const int64_t columns = linalg::columns_of(x) * linalg::columns_of(y);
  const auto blocks = (x.unsqueeze(-2).unsqueeze(-1) * y.unsqueeze(-3).unsqueeze(-2)).eval();
  return blocks.reshape(linalg::with(batch, rows, columns));
}

/// The cross product of vectors of 3 along `axis` of a and b, which broadcast.
template <ExpressionLike A, ExpressionLike B>
  requires(!is_small<typename std::remove_cvref_t<A>::value_type> &&
           !is_small<typename std::remove_cvref_t<B>::value_type>)  // those are ops/small's
auto cross(A&& a, B&& b, const Axes& along = {-1}) {
  const Shape shape = weft::broadcast("cross", a.shape(), b.shape());
  const int at = detail::one_axis("cross", along, shape.rank());
  if (shape[at] != 3) {
    fail<ShapeError>("cross", "shapes ", a.shape(), " and ", b.shape(), " with ", shape[at],
                     " elements along axis ", at, ", expected 3");
  }
  const auto x = linalg::settled(a).expand(shape);
  const auto y = linalg::settled(b).expand(shape);
  const auto of = [at](const auto& v, int64_t i) { return v.narrow(at, i, 1); };
  return cat({(of(x, 1) * of(y, 2) - of(x, 2) * of(y, 1)).eval(),
              (of(x, 2) * of(y, 0) - of(x, 0) * of(y, 2)).eval(),
              (of(x, 0) * of(y, 1) - of(x, 1) * of(y, 0)).eval()},
             axis(at));
}

/// The distances between each row of a (..., m, k) and each row of b (..., n, k) in the p-norm:
/// (..., m, n). Batches broadcast. One reduction, without a tensor of all differences.
template <ExpressionLike A, ExpressionLike B>
auto cdist(A&& a, B&& b, double p = 2) {
  linalg::check_matrix("cdist", a.shape());
  linalg::check_matrix("cdist", b.shape());
  if (linalg::columns_of(a) != linalg::columns_of(b)) {
    fail<ShapeError>("cdist", "rows of shapes ", a.shape(), " and ", b.shape(),
                     ", expected equally many columns");
  }
  const auto differences = linalg::settled(a).unsqueeze(-2) - linalg::settled(b).unsqueeze(-3);
  return p == 2 ? norm(differences, axis(-1)).eval() : norm_p(differences, p, axis(-1)).eval();
}

/// Vandermonde matrices: row i holds n powers of x(..., i) (as many as there are rows if n is
/// negative), from 0 up, or, with `increasing` false, down to 0 as in NumPy.
template <ExpressionLike X>
auto vander(X&& x, int64_t n = -1, bool increasing = true) {
  using T = typename std::remove_cvref_t<X>::value_type;
  using C = compute_t<T>;
  auto value = linalg::settled(x);
  if (value.rank() == 0) value = value.reshape(Shape{1});
  const int64_t columns = n < 0 ? value.shape()[value.rank() - 1] : n;
  using R = real_t<C>;
  const R start = static_cast<R>(increasing ? 0 : columns - 1);
  const R step = static_cast<R>(increasing ? 1 : -1);
  const Tensor<T, Cpu> powers = cast<T>(generated({columns}, op::affine<R>{start, step}));
  return pow(value.unsqueeze(-1), powers.to(value.device())).eval();
}

/// The sum of the diagonal of each matrix of a (..., m, n), `offset` above the main one: (...).
template <ExpressionLike X>
auto trace(X&& a, int64_t offset = 0) {
  linalg::check_matrix("trace", a.shape());
  return sum(linalg::settled(a).diagonal(offset, -2, -1), axis(-1)).eval();
}

/// The sums of products over the last axes of a and b: (a's others..., b's others...), NumPy's and
/// PyTorch's inner. Numbers multiply.
template <ExpressionLike A, ExpressionLike B>
auto inner(const A& a, const B& b) {
  using R = typename detail::Evaluated<decltype(tensordot(a, b, 1))>::type;
  const auto x = linalg::settled(a);
  const auto y = linalg::settled(b);
  if (x.rank() == 0 || y.rank() == 0) return R(x * y);
  return R(tensordot(x, y, {-1}, {-1}));
}

namespace linalg {
/// The complex conjugate; a real number is its own.
template <class X>
auto conjugate_of(const X& x) {
  if constexpr (is_complex<typename X::value_type>) {
    return conj(x);
  } else {
    return x;
  }
}
}  // namespace linalg

/// The sum of conj(a) * b over an axis, the last by default; a and b broadcast.
template <ExpressionLike A, ExpressionLike B>
auto vecdot(const A& a, const B& b, const Axes& axis = {-1}) {
  return sum(linalg::conjugate_of(a) * b, axis);
}
/// The sum of conj(a) * b over all elements, taken as vectors in row-major order.
template <ExpressionLike A, ExpressionLike B>
auto vdot(const A& a, const B& b) {
  const auto x = linalg::settled(a).reshape({-1});
  const auto y = linalg::settled(b).reshape({-1});
  if (x.size() != y.size()) {
    fail<ShapeError>("vdot", "shapes ", a.shape(), " and ", b.shape(),
                     ", expected equally many elements");
  }
  return vecdot(x, y);
}
/// Matrices (..., m, n) times vectors (..., n).
template <ExpressionLike A, ExpressionLike X>
auto matvec(const A& a, const X& x) {
  linalg::check_matrix("matvec", a.shape());
  return matmul(a, linalg::settled(x).unsqueeze(-1)).eval().squeeze(-1);
}
/// Vectors (..., m), conjugated, times matrices (..., m, n), as NumPy's vecmat.
template <ExpressionLike X, ExpressionLike A>
auto vecmat(const X& x, const A& a) {
  linalg::check_matrix("vecmat", a.shape());
  const auto rows = linalg::conjugate_of(linalg::settled(x)).eval();
  return matmul(rows.unsqueeze(-2), a).eval().squeeze(-2);
}

}  // namespace weft
