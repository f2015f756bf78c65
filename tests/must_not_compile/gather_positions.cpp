// expect: an indexed expression needs a device
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<int>& i) { return take(uniform({9}), i); }
