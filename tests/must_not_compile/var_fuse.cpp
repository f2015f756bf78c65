// expect: fuse records no gradients
#include <weft/autograd.hpp>

using namespace weft;

void f(const Var<float>& x) { auto [a, b] = fuse(x + 1, x - 1); }
