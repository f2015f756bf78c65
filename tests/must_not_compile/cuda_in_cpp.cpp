// expect: is evaluated in a file that nvcc compiles
// compilers: g++ clang++
// cuda
#include <weft/cuda.hpp>

using namespace weft;

void f(const Tensor<float, Cuda>& x) { Tensor y = exp(x) + 1; }
