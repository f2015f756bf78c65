// expect: include <weft/explain.hpp>, for Cuda in a file that nvcc compiles
// compilers: g++ clang++
// cuda
#include <weft/cuda.hpp>
#include <weft/explain.hpp>

using namespace weft;

int f(const Tensor<float, Cuda>& x) { return explain(x + 1).kernel_count(); }
