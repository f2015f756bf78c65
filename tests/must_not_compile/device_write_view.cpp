// expect: data on Cuda does not become a tensor on Cpu
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& z, const Tensor<float, Cuda>& x) { z(0, all) = 2 * x; }
