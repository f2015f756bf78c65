// expect: for linear algebra on Cuda include <weft/cuda/linalg.hpp>
// cuda
#include <weft/cuda.hpp>
#include <weft/linalg.hpp>

using namespace weft;

auto f(const Tensor<float, Cuda>& x) { return inv(x); }
