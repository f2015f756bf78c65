// expect: a named tensor is not assigned a number
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& z) { z = 5; }
