// expect: a Tensor<const T> is read-only
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<const float>& x, const Tensor<int>& i) { put(x, i, 1); }
