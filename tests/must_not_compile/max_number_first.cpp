// expect: maximum(x, v) and minimum(x, v)
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return max(0.0F, x); }
