// cuda
#include <cuda_runtime.h>
#include <cmath>
#include <weft/weft.hpp>

using namespace weft;

Tensor<float> f(const Tensor<float>& x, const Tensor<float>& y, const Tensor<float>& b) {
  Tensor z = tanh(x * y + b) * exp(-x * x) + 0.5F;
  return z;
}

double scalar(double v) { return tanh(v) + sqrt(2.0F) + exp(1) + std::abs(-1.0); }

float both(const Tensor<float>& x) {
  float3 p = make_float3(1, 2, 3);
  return sum(abs(x)).item() + fabsf(p.x) + all(x > 0).item();
}
