// expect: weft: an expression becomes a number by e.item()
#include <weft/autograd.hpp>

using namespace weft;

float f(const Var<float>& x) { return sum(x); }
