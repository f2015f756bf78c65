#include "weft/nn/layers/bilinear.hpp"

#include "training.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

static_assert(nn::Module<nn::Bilinear<>>);
using test::pytorch;

TEST_CASE_TEMPLATE("Bilinear is PyTorch's", D, TEST_DEVICES) {
  nn::Bilinear<D, double> layer(3, 2, 4);
  nn::load_state_dict(layer, test::pytorch().under("bilinear.before."));
  const Var a = parameter(pytorch<double, D>("bilinear.a"));
  const Var b = parameter(pytorch<double, D>("bilinear.b"));
  const Var y = layer(a, b);
  CHECK(allclose(y.detach(), pytorch<double, D>("bilinear.y"), {1e-10, 1e-10}));
  Var(sum(y * y)).backward();
  CHECK(allclose(a.grad(), pytorch<double, D>("bilinear.da"), {1e-10, 1e-10}));
  CHECK(allclose(b.grad(), pytorch<double, D>("bilinear.db"), {1e-10, 1e-10}));
  CHECK(allclose(layer.weight.grad(), pytorch<double, D>("bilinear.grad.weight"), {1e-10, 1e-10}));
  CHECK(allclose(layer.bias->grad(), pytorch<double, D>("bilinear.grad.bias"), {1e-10, 1e-10}));
  CHECK(layer(ones<double>({3}, D{}), ones<double>({2}, D{})).shape() == Shape{4});
  CHECK_SAYS("[Bilinear] inputs of shapes (5, 3) and (4, 2)", layer(a, b.narrow(0, 0, 4)));
}
