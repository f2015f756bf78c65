// expect: tie takes tensors and views of them
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& x) { tie(x, x + 1) = fuse(x + 1, x + 2); }
