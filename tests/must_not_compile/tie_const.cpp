// expect: a Tensor<const T> is read-only
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& x, Tensor<const float> y) { tie(x, y) = fuse(x + 1, x + 2); }
