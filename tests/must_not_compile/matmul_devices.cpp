// expect: one operand is on Cpu and another on Cuda
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const Tensor<float, Cuda>& y) { return matmul(x, y); }
