// expect: this type is not an element type of tensors
#include <weft/weft.hpp>

using namespace weft;

auto x = zeros<long double>({2, 3});
