// expect: this operation takes types with an order, not complex numbers
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<complex<float>>& x) { return sort(x).values; }
