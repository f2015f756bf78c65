// expect: make floating-point numbers
#include <weft/weft.hpp>

using namespace weft;

auto x = rand<int>({2, 3});
