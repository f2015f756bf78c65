// expect: one operand is on Cpu and another on Cuda
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

void f(Tensor<float, Cuda>& weights, const Tensor<float>& gradient) { weights -= 0.1F * gradient; }
