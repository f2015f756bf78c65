// compilers: g++ clang++ nvcc
#include <weft/weft.hpp>

using namespace weft;

// On the CPU a lambda will do, also in a .cu file.
Tensor<float> f(const Tensor<float>& x) {
  return map([](float v) { return v * 2; }, x);
}
