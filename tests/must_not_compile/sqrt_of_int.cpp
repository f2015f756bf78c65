// expect: takes floating-point or complex numbers
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<int>& x) { return sqrt(x); }
