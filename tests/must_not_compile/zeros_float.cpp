// expect: weft: a shape is integers
#include <weft/weft.hpp>

using namespace weft;

auto x = zeros(3.5);
