// expect: an expression on Cuda does not become a tensor on Cpu
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float, Cuda>& z, const Tensor<float>& x) {
  z.assign(x);
}
