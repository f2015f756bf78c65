// expect: XX
#include <weft/weft.hpp>

using namespace weft;

void f() {
  Tensor<float> z = 5;
}
