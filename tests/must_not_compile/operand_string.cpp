// expect: XX
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const std::string& name) {
  return x + name;
}
