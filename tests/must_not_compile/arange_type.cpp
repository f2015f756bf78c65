// expect: XX
#include <weft/weft.hpp>

using namespace weft;

auto x = arange<bool>(2);
