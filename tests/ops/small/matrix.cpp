// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/small/matrix.hpp>

#include "test.hpp"

#include <weft/ops/small/factor.hpp>
#include <weft/ops/small/products.hpp>
#include <weft/ops/small/value.hpp>

#include "small.hpp"
#include "weft/ops/linalg/products.hpp"  // which has a cross of its own

using namespace weft;

namespace {
/// By expansion along the first row.
template <class T, int N>
double determinant(const Small<T, N, N>& a) {
  if constexpr (N == 1) {
    return static_cast<double>(a[0]);
  } else {
    double sum = 0;
    for (int j = 0; j < N; ++j) {
      Small<T, N - 1, N - 1> minor{};
      for (int i = 1; i < N; ++i) {
        for (int k = 0, to = 0; k < N; ++k) {
          if (k != j) minor(i - 1, to++) = a(i, k);
        }
      }
      sum += (j % 2 == 0 ? 1 : -1) * static_cast<double>(a(0, j)) * determinant(minor);
    }
    return sum;
  }
}

/// a b in double.
template <class T, int N, int C>
Small<double, N, C> product(const Small<T, N, N>& a, const Small<T, N, C>& b) {
  Small<double, N, C> out{};
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < C; ++j) {
      for (int k = 0; k < N; ++k) {
        out(i, j) += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
      }
    }
  }
  return out;
}

template <class S, int N, int C>
Small<double, N, C> as_double(const S& x) {
  Small<double, N, C> out{};
  for (int k = 0; k < N * C; ++k) out[k] = static_cast<double>(x[k]);
  return out;
}

/// The functions of square matrices whose rows must be exchanged, since the diagonal is zero, and
/// the rest random.
template <class T, int N, class D>
void check_square(double allowed) {
  const auto a = test::smalls<Small<T, N, N>, D>(150, N);
  const auto b = test::smalls<Small<T, N, 2>, D>(150, N + 10);
  const auto as = test::elements(a);
  const auto bs = test::elements(b);
  const auto dets = test::elements(det(a));
  const auto inverses = test::elements(inv(a));
  const auto solutions = test::elements(solve(a, b));
  for (std::size_t i = 0; i < as.size(); ++i) {
    const double expected = determinant(as[i]);
    CHECK(std::fabs(static_cast<double>(dets[i]) - expected) < 20 * allowed);
    // Backward errors: relative to the size of what is multiplied.
    const double size = 1 + static_cast<double>(norm(inverses[i]));
    const auto unit = product(as[i], inverses[i]);
    CHECK(norm(unit - Small<double, N, N>::identity()) < 30 * allowed * size * size);
    const auto image = product(as[i], solutions[i]);
    const double length = 1 + static_cast<double>(norm(solutions[i]));
    CHECK(norm(image - as_double<Small<T, N, 2>, N, 2>(bs[i])) < 30 * allowed * length);
  }
}

/// The functions of symmetric matrices.
template <class T, int N, class D>
void check_symmetric(double allowed) {
  const auto half = test::smalls<Small<T, N, N>, D>(150, N + 20);
  const Tensor a = half + transpose(half);
  const auto as = test::elements(a);
  auto [w, v] = eigh(a);
  const auto values = test::elements(w);
  const auto vectors = test::elements(v);
  const auto lower = test::elements(cholesky(a * a + Small<T, N, N>::identity()));
  for (std::size_t i = 0; i < as.size(); ++i) {
    const auto images = product(as[i], vectors[i]);
    const auto gram = product(transpose(vectors[i]), vectors[i]);
    CHECK(norm(gram - Small<double, N, N>::identity()) < 20 * allowed);
    for (int j = 0; j < N; ++j) {
      if (j > 0) CHECK(values[i][j - 1] <= values[i][j]);
      for (int k = 0; k < N; ++k) {
        const auto expected =
            static_cast<double>(values[i][j]) * static_cast<double>(vectors[i](k, j));
        CHECK(std::fabs(images(k, j) - expected) < 20 * allowed);
        if (k < j) CHECK(lower[i](k, j) == 0);
      }
    }
    const auto again = product(lower[i], transpose(lower[i]));
    const auto squared = product(as[i], as[i]) + Small<double, N, N>::identity();
    CHECK(norm(again - squared) < 60 * allowed);
  }
}
}  // namespace

TEST_CASE_TEMPLATE("det, inv and solve against expansions and residuals", D, TEST_DEVICES) {
  check_square<float, 2, D>(1e-6);
  check_square<float, 3, D>(1e-6);
  check_square<double, 4, D>(1e-15);
  check_square<float, 5, D>(1e-6);
}

TEST_CASE_TEMPLATE("eigh and cholesky of symmetric matrices", D, TEST_DEVICES) {
  check_symmetric<float, 2, D>(1e-6);
  check_symmetric<double, 3, D>(1e-15);
}

TEST_CASE_TEMPLATE("norm, transpose, trace and diagonals", D, TEST_DEVICES) {
  const auto a = test::smalls<Small<float, 2, 3>, D>(150, 1);
  const auto as = test::elements(a);
  const auto turned = test::elements(transpose(a));
  const auto norms = test::elements(norm(a));
  const auto units = test::elements(normalize(a));
  const auto traces = test::elements(trace(a * transpose(a)));
  const auto diagonals = test::elements(diagonal_matrix(a * Small<float, 3>{1, 0, 0}));
  for (std::size_t i = 0; i < as.size(); ++i) {
    double squares = 0;
    for (int k = 0; k < 6; ++k) {
      squares += static_cast<double>(as[i][k]) * static_cast<double>(as[i][k]);
      CHECK(turned[i](k % 3, k / 3) == as[i][k]);
    }
    CHECK(static_cast<double>(norms[i]) == doctest::Approx(std::sqrt(squares)));
    CHECK(static_cast<double>(traces[i]) == doctest::Approx(squares));
    CHECK(test::difference<Small<float, 2, 3>>({units[i]}, {as[i] / norms[i]}) < 1e-6);
    CHECK(diagonals[i] == Small<float, 2, 2>{as[i](0, 0), 0, 0, as[i](1, 0)});
  }
}

TEST_CASE_TEMPLATE("dot, cross, outer and hadamard", D, TEST_DEVICES) {
  using Vector = Small<float, 3>;
  const auto x = test::smalls<Vector, D>(150, 1);
  const auto y = test::smalls<Vector, D>(150, 2);
  const auto xs = test::elements(x);
  const auto ys = test::elements(y);
  const auto dots = test::elements(dot(x, y) + dot(Vector{1, 0, 0}, y));
  const auto crosses = test::elements(cross(x, y));
  const auto outers = test::elements(outer(x, Small<float, 2>{1, 2}));
  const auto products = test::elements(hadamard(x, y));
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const Vector& a = xs[i];
    const Vector& b = ys[i];
    const float sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + b[0];
    CHECK(dots[i] == doctest::Approx(sum).epsilon(1e-5));
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3;
      const int last = (k + 2) % 3;
      CHECK(std::fabs(crosses[i][k] - (a[next] * b[last] - a[last] * b[next])) < 1e-6F);
      CHECK(outers[i](k, 1) == 2 * a[k]);
      CHECK(products[i][k] == a[k] * b[k]);
    }
  }
}

TEST_CASE("singular and indefinite matrices give what the arithmetic gives") {
  const Tensor<Small<float, 2, 2>> a = tensor({Small<float, 2, 2>{1, 2, 2, 4}});
  CHECK(det(a)(0).item() == 0);
  CHECK(std::isinf(inv(a)(0).item()[0]));
  CHECK(!std::isfinite(solve(a, Small<float, 2>{1, 0})(0).item()[0]));
  CHECK(std::isnan(cholesky(-a)(0).item()[0]));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(eigh(Small<float, 2, 2>{1, nan, nan, 1}).eigenvalues[0]));
}
