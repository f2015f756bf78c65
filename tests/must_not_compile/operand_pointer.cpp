// expect: an operand is a tensor, an expression or a number
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const float* y) { return x + y; }
