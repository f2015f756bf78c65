// expect: include <weft/cuda.hpp>
#include <weft/weft.hpp>

#include <string>

using namespace weft;

std::string f(const Tensor<float, Cuda>& x) { return to_string(x); }
