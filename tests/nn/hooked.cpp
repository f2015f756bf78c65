#include "weft/nn/hooked.hpp"

#include "gradients.hpp"
#include "weft/nn/layers/dropout.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("hooks see and change what goes through a module", D, TEST_DEVICES) {
  using V = Var<double, D>;
  const nn::Linear<D, double> linear(2, 3);
  nn::Hooked layer{linear};
  CHECK(nn::state_dict(layer).contains("weight"));
  CHECK(nn::count(layer) == 9);
  const V x = parameter(test::numbers<D>({4, 2}));
  const Tensor<double, D> plain = linear(x).detach();
  int seen = 0;
  layer.before_forward([&](const V& in) {
    CHECK(in.shape() == Shape{4, 2});
    ++seen;
  });
  layer.on_forward([&](const V&, const V& out) {
    CHECK(allclose(out.detach(), plain));
    ++seen;
  });
  CHECK(allclose(layer(x).detach(), plain));
  CHECK(seen == 2);
  Tensor<double, D> to_output, to_input;
  layer.on_forward([](const V&, const V& out) { return V(out * 2.0); });
  layer.on_gradient([&](const Tensor<double, D>& g) { to_output = g.clone(); });
  layer.on_input_gradient([&](const Tensor<double, D>& g) {
    to_input = g.clone();
    return Tensor<double, D>(g * 10.0);
  });
  const V y = layer(x);
  CHECK(allclose(y.detach(), plain * 2.0));
  y.backward(ones<double>({4, 3}, D{}));
  CHECK(allclose(to_output, ones<double>({4, 3}, D{})));
  CHECK(allclose(x.grad(), to_input * 10.0));
  const auto copy = layer;
  copy(x);
  CHECK(seen == 6);
  layer.remove_hooks();
  layer(x);
  CHECK(seen == 6);
  nn::Hooked<nn::Dropout, V> dropout{nn::Dropout{1}};
  CHECK(all(dropout(x).detach() == 0.0).item());
  nn::eval(dropout);
  CHECK(equal(dropout(x).detach(), x.detach()));
  const NoGrad guard;
  CHECK_FALSE(copy(x).requires_grad());
}
