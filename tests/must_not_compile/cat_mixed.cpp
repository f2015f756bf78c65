// expect: weft: braces hold tensors, or expressions, of one type
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return cat({x, x * 2}, axis(0)); }
