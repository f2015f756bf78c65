// expect: one operand is on Cpu and another on Cuda
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<bool, Cuda>& chosen, const Tensor<float>& x) { return where(chosen, x, 0); }
