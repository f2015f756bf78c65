// expect: a bare number is not an axis
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return cumsum(x, 1) + 1; }
