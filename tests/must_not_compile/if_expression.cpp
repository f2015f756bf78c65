// expect: is not true or false by itself
#include <weft/weft.hpp>

using namespace weft;

bool f(const Tensor<float>& x) {
  if (x * 2 > 3) return true;
  return false;
}
