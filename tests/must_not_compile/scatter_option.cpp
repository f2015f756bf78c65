// expect: an addition by indices takes one option: deterministic
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float>& x, const Tensor<int>& i) { put_add(x, i, 1, keepdims); }
