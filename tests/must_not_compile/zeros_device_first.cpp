// expect: weft: a shape is integers, and the device comes last
#include <weft/weft.hpp>

using namespace weft;

auto x = zeros(3, Cpu{}, 4);
