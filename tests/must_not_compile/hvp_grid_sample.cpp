// expect: weft: grid_sample has gradients, but no Hessian-vector products
#include <weft/autograd.hpp>
#include <weft/nn.hpp>

using namespace weft;

Var<Dual<float>> f(const Var<Dual<float>>& x, const Tensor<float>& grid) {
  return grid_sample(x, grid);
}
