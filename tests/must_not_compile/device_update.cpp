// expect: one operand is on Cpu and another on Cuda
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float, Cuda>& weights, const Tensor<float>& gradient) {
  weights -= 0.1F * gradient;
}
