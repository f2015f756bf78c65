// expect: groups on Cuda use NCCL: link weft::nccl
// compilers: nvcc
// cuda
#include <weft/cuda.hpp>
#include <weft/dist.hpp>

using namespace weft;

void f(const dist::Group& g, const Tensor<float, Cuda>& x) { g.all_reduce(x); }
