// expect: a tensor is made from expressions
#include <weft/weft.hpp>

#include <vector>

using namespace weft;

void f(Tensor<float>& x, const std::vector<float>& v) { x = v; }
