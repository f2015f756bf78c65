// expect: weft: parameters takes modules, or one module and a function of a name and a parameter
#include <weft/nn.hpp>

using namespace weft;

auto f(nn::Linear<Cpu>& a, Var<float>& w) { return nn::parameters(a, w); }
