// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <cstdio>

#include "parts.hpp"

int main() {
  const Matrix x = weft::linspace(-2, 2, 12).reshape(4, 3);
  Matrix y = gated(activated(scaled(x, 2), weft::ones({3})), shifted(x, weft::ones({3})));
  damp(y, 0.5F);
  const Matrix p = probabilities(standardised(clipped(y, 1)));
  const Matrix k = similarities(p, p, 1);
  const bool right = allclose(sum(p, weft::axis(1)), weft::ones({4})) && allclose(k, k.t()) &&
                     allclose(k.diagonal(), weft::ones({4}));
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
