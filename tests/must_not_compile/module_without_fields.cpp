// expect: weft: a module names its fields in a public member
#include <weft/nn.hpp>

using namespace weft;

struct Net {
  nn::Linear<Cpu> a{2, 3};
};

auto f(Net& net) { return nn::parameters(net); }
