// expect: an index is an integer, slice(a, b, step)
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x(x > 0, 1); }
