// expect: weft: for convolutions, pooling and resampling include
#include <weft/weft.hpp>

using namespace weft;

Tensor<float> f(const Tensor<float>& x) { return conv2d(x, x, {.padding = 1}); }
Tensor<float> g(const Tensor<float>& x) { return conv2d(x, x, x, {.stride = 2}); }
