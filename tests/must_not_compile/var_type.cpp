// expect: element types do not convert silently
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<float>& x) { Var<double> y = x * 2; }
