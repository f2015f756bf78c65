// expect: weft: the elements of a Var are not written in place
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<float>& x) { x[x > 0] = 7; }
