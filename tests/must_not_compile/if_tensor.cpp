// expect: is not true or false by itself
#include <weft/weft.hpp>

using namespace weft;

bool f(const Tensor<float>& x, const Tensor<float>& y) {
  if (x == y) return true;
  return false;
}
