// expect: this operation has no gradient
#include <weft/autograd.hpp>

using namespace weft;

Var<float> f(const Var<float>& x) { return cumprod(x, axis(0)); }
