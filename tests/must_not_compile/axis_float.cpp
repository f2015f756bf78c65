// expect: axis(...) takes integers
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return sum(x, axis(0.5)); }
