// expect: takes integers or bool
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x & 1; }
