// expect: XX
#include <weft/weft.hpp>

using namespace weft;

auto x = linspace<int>(0, 1, 5);
