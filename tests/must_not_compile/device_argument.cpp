// expect: data on Cuda does not become a tensor on Cpu
#include <weft/weft.hpp>

using namespace weft;

float loss(const Tensor<float>& prediction) { return sum(square(prediction)).item(); }

float f(const Tensor<float, Cuda>& x) { return loss(x + 1); }
