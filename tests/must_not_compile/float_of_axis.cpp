// expect: weft: an expression becomes a number by e.item()
#include <weft/weft.hpp>

using namespace weft;

float f(const Tensor<float>& x) { return sum(x, axis(0)); }
