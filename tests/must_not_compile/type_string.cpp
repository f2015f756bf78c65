// expect: this type is not an element type
#include <weft/weft.hpp>

#include <string>

using namespace weft;

Tensor<std::string> names;
