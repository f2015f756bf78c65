// expect: weft: gradients are those of Vars
#include <weft/autograd.hpp>

using namespace weft;

void f(const Tensor<float>& x) { sum(x).backward(); }
