// expect: an operation in this statement has no derivative
#include <weft/autograd.hpp>

WEFT_UNARY(without_derivative, Floating, x + T(1), none)

using namespace weft;

Var<float> f(const Var<float>& x) { return without_derivative(x); }
