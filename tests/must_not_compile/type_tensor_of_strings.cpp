// expect: this type is not an element type
#include <weft/weft.hpp>

using namespace weft;

auto names = tensor({"cat", "dog"});
