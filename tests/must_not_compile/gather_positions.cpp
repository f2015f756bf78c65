// expect: what is indexed lies on a device
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<int>& i) { return take(uniform({9}), i); }
