// compilers: nvcc
// expect: to compute on Cuda include <weft/cuda.hpp>
#include <weft/io/cuda.hpp>
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float, Cuda>& x) {
  x *= 2;
  Tensor y = x(0) + 1;
}
