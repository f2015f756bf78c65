// expect: a Tensor<const T> does not become a Tensor<T>
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<const float>& x) { Tensor<float> y = x; }
