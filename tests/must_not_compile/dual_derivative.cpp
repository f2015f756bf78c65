// expect: hvp differentiates each operation twice
#include <weft/weft.hpp>

WEFT_UNARY(without_derivative, Floating, x + T(1), none)

using namespace weft;

auto f(Dual<float> x) { return op::without_derivative{}.value(x); }
