// expect: XX
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& x, const std::vector<float>& y) {
  x(0, all) = y;
}
