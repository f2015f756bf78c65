// expect: to multiply matrices on Cuda include <weft/cuda/matmul.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

Tensor<float, Cuda> f(const Tensor<float, Cuda>& x) { return matmul(x, x); }
