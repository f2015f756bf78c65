// expect: one operand is on Cpu and another on Cuda
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& weights, const Tensor<float, Cuda>& gradient) { weights -= 0.1F * gradient; }
