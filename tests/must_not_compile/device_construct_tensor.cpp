// expect: an expression on Cuda does not become a tensor on Cpu
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float>& x) {
  Tensor<float, Cuda> y = x;
}
