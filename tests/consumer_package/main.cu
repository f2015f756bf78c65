// The same with the CUDA device: must compile and link without further flags.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda.hpp"

int main() {
  if (!weft::cuda::is_available()) return 0;
  weft::Tensor<float, weft::Cuda> x = weft::ones({2, 3}).to(weft::Cuda{});
  weft::Tensor<float, weft::Cuda> y = weft::exp(x - 1.0f) + x;
  return y(1, 2).item() == 2.0f ? 0 : 1;
}
