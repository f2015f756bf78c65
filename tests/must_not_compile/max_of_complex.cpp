// expect: takes types with an order
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<complex<float>>& x) { return max(x); }
