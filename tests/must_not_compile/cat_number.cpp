// expect: axis(n)
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return cat({x, x}, 0); }
