// expect: include <weft/cuda.hpp>
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float, Cuda>& y, const Tensor<float, Cuda>& x) { y = exp(x) + 1; }
