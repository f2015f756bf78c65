// expect: to use tensors on Cuda include <weft/cuda.hpp>
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x.to(Cuda{}); }
