// expect: takes bool
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return !x; }
