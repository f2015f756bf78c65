// expect: an operand is a tensor, an expression or a number
#include <weft/weft.hpp>

#include <string>

using namespace weft;

auto f(const Tensor<float>& x, const std::string& name) { return x + name; }
