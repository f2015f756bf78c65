// Uses an installed weft from a project of its own.
// SPDX-License-Identifier: Apache-2.0
#include "weft/weft.hpp"

int main() {
  weft::Tensor<float> x = weft::ones({2, 3});
  weft::Tensor<float> y = weft::exp(x - 1.0f) + x;
  return y(1, 2).item() == 2.0f ? 0 : 1;
}
