// expect: element types do not convert silently
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<double>& x) { Var<float> y = x; }
