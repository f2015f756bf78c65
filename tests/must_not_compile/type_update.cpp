// expect: element types do not mix silently
#include <weft/weft.hpp>

using namespace weft;

void f(Tensor<int>& counts) { counts *= 0.5; }
