// expect: an expression with a Var becomes a Var
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<float>& x) { Tensor<float> y = x * 2; }
