// expect: tie takes what fuse gives
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& x, Tensor<float>& y) { tie(x, y) = x + y; }
