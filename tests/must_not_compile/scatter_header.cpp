// expect: to add deterministically on Cuda include <weft/cuda/scatter_deterministic.hpp>
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>

using namespace weft;

void f(const Tensor<float, Cuda>& x, const Tensor<int, Cuda>& i) {
  put_add(x, i, 1, deterministic);
}
