// expect: move this statement to a .cu file
// compilers: g++ clang++
// cuda
#include <weft/cuda.hpp>
#include <weft/cuda/linalg.hpp>
#include <weft/linalg.hpp>

using namespace weft;

auto f(const Tensor<float, Cuda>& x) { return inv(x); }
