// expect: takes numbers, not bool
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return (x > 0) + (x < 1); }
