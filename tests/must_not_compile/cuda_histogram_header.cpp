// expect: to count on Cuda include <weft/cuda/algorithms.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

auto f(const Tensor<int, Cuda>& x) { return bincount(x); }
