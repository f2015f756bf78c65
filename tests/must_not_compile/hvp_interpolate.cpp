// expect: weft: interpolate has gradients, but no Hessian-vector products
#include <weft/autograd.hpp>
#include <weft/conv.hpp>

using namespace weft;

Var<Dual<float>> f(const Var<Dual<float>>& x) { return interpolate(x, {.scale = 2}); }
