// expect: to select on Cuda include <weft/cuda/order/select.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

auto f(const Tensor<float, Cuda>& x) { return nonzero(x); }
