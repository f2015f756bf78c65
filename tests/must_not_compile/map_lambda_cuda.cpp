// expect: weft: map on Cuda calls a function object in a kernel
// compilers: nvcc
#include <weft/cuda.hpp>

using namespace weft;

Tensor<float, Cuda> f(const Tensor<float, Cuda>& x) {
  return map([](float v) { return v * 2; }, x);
}
