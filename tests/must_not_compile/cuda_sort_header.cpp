// expect: to sort on Cuda include <weft/cuda/sort.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

auto f(const Tensor<float, Cuda>& x) { return argsort(x); }
