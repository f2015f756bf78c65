// expect: weft: to use gradients include <weft/autograd.hpp>
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return parameter(x); }
