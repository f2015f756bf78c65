// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <weft/weft.hpp>

Matrix squared_distances(const Matrix& x, const Matrix& y) {
  return sum(square(x.unsqueeze(1) - y.unsqueeze(0)), weft::axis(-1));
}
Matrix similarities(const Matrix& x, const Matrix& y, float width) {
  return exp(-squared_distances(x, y) / (2 * width * width));
}
