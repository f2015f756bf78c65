// expect: calling a __host__ function from a __host__ __device__ function is not allowed
// compilers: nvcc
#include <weft/cuda.hpp>

using namespace weft;

struct Twice {
  float operator()(float v) const { return v * 2; }
};

Tensor<float, Cuda> f(const Tensor<float, Cuda>& x) { return map(Twice{}, x); }
