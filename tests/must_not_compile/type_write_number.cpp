// expect: a floating-point number does not go into an integer tensor
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<int>& counts) { counts(0, all) = 0.5; }
