// expect: statements are captured in a file that nvcc compiles
// compilers: g++ clang++
// cuda
#include <weft/cuda.hpp>

using namespace weft;

void f() {
  weft::cuda::capture([] {});
}
