// nn::init: eye, dirac, orthogonal and sparse, structured initial values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "weft/nn/init.hpp"
#include "weft/ops/random/permutation.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft::nn::init {

namespace detail {
/// Writes values that were computed on the host.
template <class T, class D>
void write(const Var<T, D>& x, const std::vector<double>& values) {
  const Tensor<double> host = tensor(values, x.shape());
  x.detach().assign(Tensor<T, D>(cast<T>(host).eval().to(x.device())));
}
}  // namespace detail

/// The identity: a matrix of ones on the diagonal, zeros elsewhere.
template <class T, class D>
void eye(const Var<T, D>& x) {
  if (x.rank() != 2) fail<ShapeError>("eye", "a weight of shape ", x.shape(), ", expected 2 axes");
  constant(x, 0);
  x.detach().diagonal().fill(compute_t<T>(1));
}

/// The identity of a convolution of weight (out, in, kernel...): in each group filter i passes
/// channel i on, if there is one.
template <class T, class D>
void dirac(const Var<T, D>& x, int64_t groups = 1) {
  if (x.rank() < 3 || x.rank() > 5 || groups < 1 || x.size(0) % groups != 0) {
    fail<ShapeError>("dirac", "a weight of shape ", x.shape(), " in ", groups,
                     " groups, expected (out, in, kernel...) of 3 to 5 axes, out a multiple");
  }
  std::vector<double> values(static_cast<std::size_t>(x.size()));
  int64_t kernel = 1, middle = 0;
  for (int i = 2; i < x.rank(); ++i) {
    kernel *= x.size(i);
    middle = middle * x.size(i) + x.size(i) / 2;
  }
  const int64_t out = x.size(0) / groups, in = x.size(1);
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t i = 0; i < std::min(out, in) && kernel > 0; ++i) {
      values[static_cast<std::size_t>(((g * out + i) * in + i) * kernel + middle)] = 1;
    }
  }
  detail::write(x, values);
}

/// Orthogonal rows of length gain, or columns where there are more rows, of x as a matrix of its
/// first axis and all others: uniform among these (Saxe et al. 2014). Householder's
/// triangularisation of a normal matrix, on the host.
template <class T, class D>
void orthogonal(const Var<T, D>& x, double gain = 1, Generator& generator = default_generator()) {
  if (x.rank() < 2) {
    fail<ShapeError>("orthogonal", "a weight of shape ", x.shape(), ", expected at least 2 axes");
  }
  if (x.size() == 0) return;
  const int64_t rows = x.size(0), columns = x.size() / rows;
  // The longer side is m: q (m, n) has orthonormal columns.
  const int64_t m = std::max(rows, columns), n = std::min(rows, columns);
  const auto at = [m](int64_t row, int64_t column) {
    return static_cast<std::size_t>(column * m + row);
  };
  std::vector<double> a = Tensor<double>(weft::normal<double>({n * m}, generator)).to_vector();
  std::vector<double> q(a.size());
  std::vector<double> signs(static_cast<std::size_t>(n));
  // Column k of a becomes the vector v of the reflection 1 - 2 v v^T that triangularises it.
  const auto reflect = [&](int64_t k, double* column) {
    double along = 0;
    for (int64_t i = k; i < m; ++i) along += a[at(i, k)] * column[i];
    for (int64_t i = k; i < m; ++i) column[i] -= 2 * along * a[at(i, k)];
  };
  for (int64_t k = 0; k < n; ++k) {
    double square = 0;
    for (int64_t i = k; i < m; ++i) square += a[at(i, k)] * a[at(i, k)];
    const double head = a[at(k, k)];
    const double length = std::sqrt(square);
    // The sign of the triangle's diagonal, which makes the result uniform.
    signs[static_cast<std::size_t>(k)] = head < 0 ? 1 : -1;
    a[at(k, k)] = head + (head < 0 ? -length : length);
    const double norm = std::sqrt(2 * length * (length + std::abs(head)));
    for (int64_t i = k; i < m && norm > 0; ++i) a[at(i, k)] /= norm;
    for (int64_t j = k + 1; j < n; ++j) reflect(k, &a[at(0, j)]);
  }
  for (int64_t j = 0; j < n; ++j) {
    q[at(j, j)] = signs[static_cast<std::size_t>(j)];
    for (int64_t k = n; k-- > 0;) reflect(k, &q[at(0, j)]);
  }
  std::vector<double> values(q.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      values[static_cast<std::size_t>(i * columns + j)] =
          gain * (rows >= columns ? q[at(i, j)] : q[at(j, i)]);
    }
  }
  detail::write(x, values);
}

/// Normal, and in each column of a matrix this part of the elements, rounded up, is 0 (Martens
/// 2010).
template <class T, class D>
void sparse(const Var<T, D>& x, double sparsity, double deviation = 0.01,
            Generator& generator = default_generator()) {
  if (x.rank() != 2) {
    fail<ShapeError>("sparse", "a weight of shape ", x.shape(), ", expected 2 axes");
  }
  if (!(sparsity >= 0 && sparsity <= 1)) {
    fail<ValueError>("sparse", "sparsity ", sparsity, ", expected 0 to 1");
  }
  const int64_t rows = x.size(0), columns = x.size(1);
  const auto zeros = static_cast<int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  std::vector<double> values =
      Tensor<double>(weft::normal<double>({rows * columns}, generator)).to_vector();
  for (double& value : values) value *= deviation;
  for (int64_t j = 0; j < columns; ++j) {
    const auto order = permutation(rows, Cpu{}, generator).to_vector();
    for (int64_t i = 0; i < zeros; ++i) {
      values[static_cast<std::size_t>(order[static_cast<std::size_t>(i)] * columns + j)] = 0;
    }
  }
  detail::write(x, values);
}

}  // namespace weft::nn::init
