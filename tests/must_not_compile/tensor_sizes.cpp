// expect: weft: a shape makes no tensor
#include <weft/weft.hpp>

using namespace weft;

Tensor<float> x(2, 3);
