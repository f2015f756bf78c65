// cuda
#include <cuda_runtime.h>
#include <cmath>
#include <weft/weft.hpp>

weft::Tensor<float> f(const weft::Tensor<float>& x, const weft::Tensor<float>& y,
                      const weft::Tensor<float>& b) {
  weft::Tensor z = tanh(x * y + b) * exp(-x * x) + 0.5F;
  z(0, weft::all) = 1;
  return maximum(z, 0) / sum(z, weft::axis(-1), weft::keepdims);
}

double scalar(double v) { return tanh(v) + std::sqrt(2.0F) + exp(1.0); }
