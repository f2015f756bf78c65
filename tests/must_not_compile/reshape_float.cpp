// expect: weft: sizes and axes are integers
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x.reshape(2.5, 3); }
