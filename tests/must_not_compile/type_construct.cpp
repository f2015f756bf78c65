// expect: element types do not convert silently
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<double>& x) { Tensor<float> y = x; }
