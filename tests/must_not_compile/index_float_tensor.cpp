// expect: weft: a tensor as index has elements of bool
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x[x]; }
