// expect: one operand is on CudaAt<M> and another on CudaAt<N>
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float, CudaAt<0>>& x, const Tensor<float, CudaAt<1>>& y) { return x + y; }
