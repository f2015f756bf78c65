// expect: data on Cpu does not become a tensor on Cuda
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float>& x) { Tensor<float, Cuda> y = x; }
