// expect: takes types with an order
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<complex<float>>& x, const Tensor<complex<float>>& y) { return x < y; }
