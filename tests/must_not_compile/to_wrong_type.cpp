// expect: to(device) takes a device
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) {
  return x.to(double{});
}
