// expect: elements of a Cuda tensor are not reachable from the CPU
#include <weft/weft.hpp>

using namespace weft;

float f(const Tensor<float, Cuda>& x) { return x.at(0, 1); }
