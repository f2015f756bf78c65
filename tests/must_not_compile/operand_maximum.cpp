// expect: XX
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const std::vector<float>& y) {
  return maximum(x, y);
}
