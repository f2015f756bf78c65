// expect: a Var has elements of a floating-point or complex type
#include <weft/autograd.hpp>

using namespace weft;

void f(const Tensor<int>& x) { Var y = x; }
