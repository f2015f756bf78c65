// expect: elements of a Cuda tensor are not reachable from the CPU
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float, Cuda>& x) { const float first = x(0); }
