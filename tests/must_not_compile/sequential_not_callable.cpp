// expect: weft: a module in a Sequential is called with the value before it
#include <weft/nn.hpp>

using namespace weft;

struct Wrong {};

const nn::Sequential net{nn::Linear(2, 3), Wrong{}};
auto f(const Tensor<float>& x) { return net(x); }
