// expect: weft: nn::fields takes each field behind its name
#include <weft/nn.hpp>

using namespace weft;

struct Net {
  nn::Linear<Cpu> a{2, 3};
  auto fields() { return nn::fields(a); }
};

auto f(Net& net) { return nn::parameters(net); }
