// expect: element types do not mix silently
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<half>& x, const Tensor<float>& y) { return x - y; }
