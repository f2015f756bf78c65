// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <weft/weft.hpp>

Matrix activated(const Matrix& x, const Matrix& bias) { return tanh(x + bias); }
Matrix gated(const Matrix& x, const Matrix& gate) { return x * sigmoid(gate) + 0.1F * relu(x); }
Matrix clipped(const Matrix& x, float bound) { return clamp(x, -bound, bound) / bound; }
