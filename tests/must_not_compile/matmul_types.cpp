// expect: element types do not mix silently
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const Tensor<double>& y) { return matmul(x, y); }
