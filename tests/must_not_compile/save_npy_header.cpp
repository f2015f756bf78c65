// expect: weft: to read and write files include <weft/io.hpp>
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float>& x) { save_npy("x.npy", x); }
