// expect: a condition must have element type bool
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<int>& mask, const Tensor<float>& x) { return where(mask, x, 0); }
