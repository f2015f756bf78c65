// expect: data on Cpu does not become a tensor on Cuda
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float, Cuda>& z, const Tensor<float>& x) { z.assign(x); }
