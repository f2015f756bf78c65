// expect: move this statement to a .cu file
// compilers: g++ clang++
// cuda
#include <weft/cuda.hpp>
#include <weft/cuda/matmul.hpp>

using namespace weft;

Tensor<float, Cuda> f(const Tensor<float, Cuda>& x) { return matmul(x, x); }
