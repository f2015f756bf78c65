// expect: of complex numbers sum and mean have a gradient
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<complex<float>>& z) { Var y = prod(z); }
