// expect: a tensor is made from expressions
#include <weft/weft.hpp>

#include <vector>

using namespace weft;

void f(const std::vector<float>& v) { Tensor<float> x(v); }
