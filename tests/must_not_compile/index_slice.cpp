// expect: x[i] takes one integer
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x[slice(0, 2)]; }
