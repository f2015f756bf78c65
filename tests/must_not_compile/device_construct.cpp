// expect: data on Cuda does not become a tensor on Cpu
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float, Cuda>& x) { Tensor<float> y = exp(x); }
