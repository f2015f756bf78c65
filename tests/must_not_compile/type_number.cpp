// expect: element types do not mix silently
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<int>& counts) { return counts * 0.5; }
