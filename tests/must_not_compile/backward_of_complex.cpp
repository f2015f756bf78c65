// expect: backward() starts from a real number: write real(z) or abs(z) first
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<complex<float>>& z) { z.backward(); }
