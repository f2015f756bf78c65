// expect: as many tensors as expressions
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& x, Tensor<float>& y) { tie(x, y) = fuse(x + 1, x + 2, y); }
