// expect: XX
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const float* y) {
  return x + y;
}
