// expect: weft: only Vars have gradients
#include <weft/autograd.hpp>

using namespace weft;

void f(const Tensor<float>& x) { sum(x).backward(); }
