// expect: a Tensor<const T> is read-only
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<const float>& x) { x = exp(x); }
