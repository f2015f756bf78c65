// expect: gradients are plain tensors, and hvp(f, x, v) gives products with second derivatives
#include <weft/autograd.hpp>

using namespace weft;

auto f(const Var<float>& x) {
  const Tensor g = grad(sum(x * x), x);
  return grad(sum(g * g), x);
}
