// expect: a shape is not a tensor
#include <weft/weft.hpp>

using namespace weft;

Tensor<float> x({2, 3});
