// expect: a number cannot be assigned to a named tensor
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& z) { z = 5; }
