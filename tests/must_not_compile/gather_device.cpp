// expect: one operand is on Cpu and another on Cuda
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float, Cuda>& x, const Tensor<int>& i) { return take(x, i); }
