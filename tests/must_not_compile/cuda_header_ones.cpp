// expect: include <weft/cuda.hpp>
#include <weft/weft.hpp>

using namespace weft;

auto x = ones({2, 3}, Cuda{});
