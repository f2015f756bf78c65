// expect: indices are integers
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return take(x, x > 0, axis(0)) + 1; }
