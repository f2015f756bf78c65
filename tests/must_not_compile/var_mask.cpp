// expect: weft: x[mask] of a Var has no gradient
#include <weft/autograd.hpp>

using namespace weft;

auto f(const Var<float>& x) { return x[x > 0]; }
