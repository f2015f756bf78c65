// expect: the axis that indices belong to is written axis(n)
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const Tensor<int>& i) { return take(x, i, 1); }
