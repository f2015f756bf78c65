// expect: an operation in this statement has no derivative
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<complex<float>>& z) { Var y = prod(z); }
