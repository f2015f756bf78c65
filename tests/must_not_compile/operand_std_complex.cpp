// expect: an operand is a tensor, an expression or a number
#include <weft/weft.hpp>

#include <complex>

using namespace weft;

auto f(const Tensor<complex<float>>& x, std::complex<float> z) { return x * z; }
