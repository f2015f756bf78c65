// expect: an expression with a Var cannot be written into a Tensor
#include <weft/autograd.hpp>

using namespace weft;

void f(const Tensor<float>& y, const Var<float>& x) { y.assign(x * 2); }
