// expect: x[i] takes one integer
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x[0.5]; }
