// expect: hvp differentiates each operation twice
#include <weft/weft.hpp>

using namespace weft;

auto f(Dual<float> x) { return op::digamma{}.value(x); }
