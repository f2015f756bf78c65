// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/gram_svd.hpp>

#include "linear_algebra.hpp"

using test::off;
using test::some_matrices;
using weft::Shape;
using weft::Tensor;
using weft::linalg::adjoint;

namespace {

/// How far Q^H Q is from 1.
template <class T, class D>
double skewness(const Tensor<T, D>& q) {
  const Tensor<T, D> product = matmul(adjoint(q), q);
  return off(product, weft::eye<T>(q.shape()[2], D{}).expand(product.shape()));
}

/// The factors are orthogonal and give a back, up to some roundings of the largest element.
template <class T, class D>
void check(const Tensor<T, D>& a, bool full, double tolerance = 2e-6) {
  CAPTURE(a.shape());
  CAPTURE(full);
  const Shape batch{a.shape()[0]};
  const std::int64_t m = a.shape()[1];
  const std::int64_t n = a.shape()[2];
  const std::int64_t k = std::min(m, n);
  const auto s = weft::empty<float>({batch[0], k}, D{});
  const auto u = weft::linalg::new_columns<T>(batch, m, full ? m : k, D{});
  const auto vh = weft::linalg::new_columns<T>(batch, full ? n : k, n, D{});
  const auto solve = [](auto solver, const auto&... parts) {
    weft::linalg::gram_svd(solver, "svd", parts...);
  };
  weft::linalg::solve_on<D>(solve, weft::linalg::by_columns(a), s, u, vh);
  CHECK(skewness(u.in(batch)) < tolerance);
  CHECK(skewness(adjoint(vh.in(batch))) < tolerance);
  const Tensor<T, D> scaled = u.in(batch).narrow(2, 0, k) * weft::cast<T>(s.unsqueeze(1));
  const auto largest = static_cast<double>(weft::max(s).item());
  const Tensor<T, D> back = matmul(scaled, vh.in(batch).narrow(1, 0, k));
  CHECK(static_cast<double>(max(abs(back - a)).item()) <= tolerance * largest);
  CHECK(min(s.narrow(1, 0, k - 1) - s.narrow(1, 1, k - 1)).item() >= 0);
  CHECK(min(s).item() >= 0);
  const auto alone = weft::empty<float>(s.shape(), D{});
  weft::linalg::solve_on<D>(solve, weft::linalg::by_columns(a), alone,
                            weft::linalg::new_columns<T>(batch, m, 0, D{}),
                            weft::linalg::new_columns<T>(batch, 0, n, D{}));
  CHECK(static_cast<double>(max(abs(alone - s)).item()) <= 1e-7 * largest);
}

}  // namespace

TEST_CASE_TEMPLATE("singular values from A^H A in double, as good as float holds", D,
                   TEST_DEVICES) {
  for (const Shape& shape : {Shape{3, 40, 40}, Shape{2, 50, 34}, Shape{2, 34, 50}}) {
    for (const bool full : {false, true}) {
      check(some_matrices<float, D>(shape), full);
      check(some_matrices<weft::complex<float>, D>(shape), full);
    }
  }
  // Of a rank of 20, in every scale, and columns from 1 to 1e-12.
  Tensor<float, D> few = some_matrices<float, D>({2, 40, 40});
  few.narrow(2, 20, 20).assign(few.narrow(2, 0, 20));
  check(few, true);
  check<float, D>(few * 1e30F, false);
  check<float, D>(few * 1e-30F, false);
  check(weft::zeros<float>({1, 40, 33}, D{}), true);
  check(weft::ones<float>({1, 33, 40}, D{}), false);
  const Tensor<float, D> steps = weft::exp(weft::arange<float>(40, D{}) * -0.7F);
  check<float, D>(some_matrices<float, D>({2, 40, 40}) * steps, false);
  check<float, D>(weft::eye<float>(40, D{}).expand({2, 40, 40}) * 3.F, true);
}
