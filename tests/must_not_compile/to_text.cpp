// expect: x.to(device) takes Cpu{}
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return x.to("cuda"); }
