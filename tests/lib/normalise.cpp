// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <weft/weft.hpp>

Matrix standardised(const Matrix& x) {
  auto centred = x - mean(x, weft::axis(-1), weft::keepdims);
  return centred * rsqrt(mean(centred * centred, weft::axis(-1), weft::keepdims) + 1e-6F);
}
Matrix probabilities(const Matrix& x) { return softmax(x, weft::axis(-1)); }
