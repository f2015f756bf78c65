// expect: this type is not an element type
#include <weft/weft.hpp>

using namespace weft;

auto x = zeros<long double>({2, 3});
