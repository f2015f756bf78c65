// expect: data on CudaAt<M> does not become a tensor on CudaAt<N>
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float, CudaAt<0>>& x, const Tensor<float, CudaAt<1>>& y) { x = y * 2; }
