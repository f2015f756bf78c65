// expect: to use tensors on Cuda include <weft/cuda.hpp>
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float, Cuda>& x) { Tensor y = exp(x) + 1; }
