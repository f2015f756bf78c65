// expect: fuse takes tensors and expressions
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& x) { fuse(x + 1, 2.0F); }
