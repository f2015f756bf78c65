// svd_lowrank, pca_lowrank: the largest singular values of a matrix, from random directions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/svd.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

/// How many singular values to compute, and how often the directions are improved.
struct LowRank {
  int64_t rank = 6;
  int iterations = 2;
};

namespace linalg {
/// Orthonormal columns that span nearly all of a (..., m, n): Halko, Martinsson and Tropp (Finding
/// structure with randomness, 2011), algorithm 4.4.
template <class T, class D>
Tensor<T, D> range_of(const Tensor<T, D>& a, const LowRank& how, Generator& generator) {
  const auto start = randn<real_t<T>>({columns_of(a), how.rank}, a.device(), generator);
  Tensor<T, D> q = qr(product(a, as<T>(start))).q;
  for (int i = 0; i < how.iterations; ++i) {
    q = qr(product(adjoint(a), q)).q;
    q = qr(product(a, q)).q;
  }
  return q;
}
}  // namespace linalg

/// {u, s, vh} of approximately the largest singular values of each matrix of a (..., m, n): u (...,
/// m, k), s (..., k), vh (..., k, n) with k = how.rank. For matrices much larger than k whose other
/// singular values are small. No gradient: write svd(x).
template <ExpressionLike X>
auto svd_lowrank(const X& a, const LowRank& how = {}, Generator& generator = default_generator()) {
  if constexpr (linalg::takes<X>()) {
    static_assert(!detail::has_var<X>, "weft: svd_lowrank has no gradient: write svd(x)");
    linalg::check_matrix("svd_lowrank", a.shape());
    const auto x = linalg::settled(a);
    const int64_t m = linalg::rows_of(x);
    const int64_t n = linalg::columns_of(x);
    if (how.rank < 1 || how.rank > (m < n ? m : n) || how.iterations < 0) {
      fail<ValueError>("svd_lowrank", "a rank of ", how.rank, " and ", how.iterations,
                       " iterations for matrices of shape ", x.shape(), ", expected 1 to ",
                       m < n ? m : n, " and at least 0");
    }
    const auto q = linalg::range_of(x, how, generator);
    auto found = svd(linalg::product(linalg::adjoint(q), x));
    found.u = linalg::product(q, found.u);
    return found;
  }
}

/// The same of a minus the mean of its rows: the rows of vh are the principal components.
template <ExpressionLike X>
auto pca_lowrank(const X& a, const LowRank& how = {}, Generator& generator = default_generator()) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("pca_lowrank", a.shape());
    return svd_lowrank((a - mean(a, axis(-2), keepdims)).eval(), how, generator);
  }
}

}  // namespace weft
