// expect: weft: full takes a shape in braces and a value
#include <weft/weft.hpp>

using namespace weft;

auto x = full(3, 4, 1.0F);
