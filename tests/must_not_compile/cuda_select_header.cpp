// expect: to select on Cuda include <weft/cuda/algorithms.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

auto f(const Tensor<float, Cuda>& x) { return nonzero(x); }
