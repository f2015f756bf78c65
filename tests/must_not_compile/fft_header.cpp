// expect: for Fourier transforms and signals include <weft/fft.hpp>
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float>& x) { Tensor y = rfft(x); }
