// expect: this operation takes numbers, not bool: write cast<T>(x)
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<bool>& x) { return matmul(x, x); }
