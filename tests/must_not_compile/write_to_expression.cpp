// expect: weft: an expression has no elements to write to
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float>& x) { (x + 1) += 2; }
