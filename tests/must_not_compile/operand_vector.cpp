// expect: an operand is a tensor, an expression or a number
#include <weft/weft.hpp>

#include <vector>

using namespace weft;

auto f(const Tensor<float>& x, const std::vector<float>& y) { return x * y; }
