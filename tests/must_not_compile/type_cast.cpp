// expect: this type is not an element type
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return cast<long double>(x); }
