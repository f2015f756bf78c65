// expect: an operation in this statement has no derivative
#include <weft/autograd.hpp>

using namespace weft;

Var<float> f(const Var<float>& x) { return digamma(x); }
