// The functions of the five files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/tensor/tensor.hpp>

using Matrix = weft::Tensor<float>;

Matrix scaled(const Matrix& x, float factor);
Matrix shifted(const Matrix& x, const Matrix& by);
void damp(Matrix& x, float factor);

Matrix activated(const Matrix& x, const Matrix& bias);
Matrix gated(const Matrix& x, const Matrix& gate);
Matrix clipped(const Matrix& x, float bound);

Matrix standardised(const Matrix& x);  // each row to mean 0 and variance 1
Matrix probabilities(const Matrix& x);

Matrix squared_distances(const Matrix& x, const Matrix& y);  // (n, d), (m, d) -> (n, m)
Matrix similarities(const Matrix& x, const Matrix& y, float width);
