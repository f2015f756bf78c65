// expect: element types do not convert silently
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& x, Tensor<double>& y) { tie(x, y) = fuse(x + 1, x + 2); }
