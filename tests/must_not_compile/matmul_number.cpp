// expect: a matrix product takes two tensors: write x * v for a number
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return matmul(x, 2.0F); }
