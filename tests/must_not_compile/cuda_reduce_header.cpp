// expect: to reduce on Cuda include <weft/cuda/reduce.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

float f(const Tensor<float, Cuda>& x) { return sum(x).item(); }
