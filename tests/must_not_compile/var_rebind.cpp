// expect: an expression with a Var becomes a Var
#include <weft/autograd.hpp>

using namespace weft;

void f(Tensor<float>& y, const Var<float>& x) { y = x * 2; }
