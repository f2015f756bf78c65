// expect: a reduction takes axis(...), keepdims
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return sum(x, "rows"); }
