// expect: a Tensor<const T> does not become a Tensor<T>
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<float>& y, const Tensor<const float>& x) { y = x; }
