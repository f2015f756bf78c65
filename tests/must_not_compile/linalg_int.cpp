// expect: linear algebra takes elements of type float, double or complex: write cast<float>(x)
#include <weft/linalg.hpp>

using namespace weft;

auto f(const Tensor<int>& x) { return inv(x); }
