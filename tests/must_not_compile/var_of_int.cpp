// expect: takes floating-point numbers
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<int>& x) { return var(x, axis(0)); }
