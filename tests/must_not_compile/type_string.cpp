// expect: this type is not an element type of tensors
#include <weft/weft.hpp>

using namespace weft;

Tensor<std::string> names;
