// expect: element types do not convert silently
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& z, const Tensor<float>& x) { z = argmax(x, axis(-1)); }
