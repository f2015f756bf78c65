// expect: weft: attention has gradients, but no Hessian-vector products
#include <weft/attention.hpp>
#include <weft/autograd.hpp>

using namespace weft;

Var<Dual<float>> f(const Var<Dual<float>>& x) { return scaled_dot_product_attention(x, x, x); }
