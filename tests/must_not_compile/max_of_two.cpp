// expect: write maximum(x, y) or minimum(x, y)
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const Tensor<float>& y) { return max(x, y); }
