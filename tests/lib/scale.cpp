// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <weft/weft.hpp>

Matrix scaled(const Matrix& x, float factor) { return x * factor; }
Matrix shifted(const Matrix& x, const Matrix& by) { return x + by; }
void damp(Matrix& x, float factor) { x *= exp(-factor * x * x); }
