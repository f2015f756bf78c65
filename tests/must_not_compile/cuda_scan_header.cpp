// expect: to scan on Cuda include <weft/cuda/algorithms.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

Tensor<float, Cuda> f(const Tensor<float, Cuda>& x) { return cumsum(x); }
