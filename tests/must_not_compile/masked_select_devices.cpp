// expect: one operand is on Cpu and another on Cuda
// cuda
#include <weft/cuda.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const Tensor<bool, Cuda>& mask) { return masked_select(x, mask); }
