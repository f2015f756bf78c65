// expect: XX
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<const float>& x) {
  x.at(0, 1) = 1;
}
