// expect: a tensor takes expressions and numbers
#include <weft/weft.hpp>

#include <vector>

using namespace weft;

void f(Tensor<float>& x, const std::vector<float>& y) { x(0, all) = y; }
