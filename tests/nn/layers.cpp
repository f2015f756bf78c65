#include "weft/nn/layers.hpp"

#include "gradients.hpp"
#include "weft/nn/linear.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("Dropout keeps the mean and passes the gradient of what it kept", D,
                   TEST_DEVICES) {
  nn::Dropout dropout{0.25};
  const Var x = parameter(full<float>({100, 100}, 3.0F, D{}));
  const Var y = dropout(x);
  const Tensor zero = cast<float>(y.detach() == 0.0F);
  CHECK(mean(zero).item() == doctest::Approx(0.25).epsilon(0.05));
  CHECK(allclose(y.detach(), 4.0F * (1.0F - zero)));
  y.backward(ones({100, 100}, D{}));
  CHECK(allclose(x.grad(), y.detach() / 3.0F));
  const Var again = dropout(x);
  CHECK(!equal(again.detach(), y.detach()));
  dropout.training = false;
  CHECK(equal(Var(dropout(x)).detach(), x.detach()));
  CHECK(all(nn::Dropout{1}(x).detach() == 0.0F).item());
  CHECK_SAYS("p = 2, expected 0 to 1", nn::Dropout{2}(x));
}

TEST_CASE_TEMPLATE("Flatten", D, TEST_DEVICES) {
  const Var x = parameter(ones({2, 3, 4, 5}, D{}));
  CHECK(nn::Flatten{}(x).shape() == Shape{2, 60});
  CHECK(nn::Flatten{0, 1}(x).shape() == Shape{6, 4, 5});
  CHECK(nn::Flatten{1, -2}(x).shape() == Shape{2, 12, 5});
  CHECK_SAYS("axes 3 to 1", nn::Flatten{3, 1}(x));
}

TEST_CASE_TEMPLATE("activation functions as modules", D, TEST_DEVICES) {
  const auto x = test::numbers<D>({3, 4});
  CHECK(allclose(nn::ReLU{}(x), relu(x)));
  CHECK(allclose(nn::GELU{}(x), gelu(x)));
  CHECK(allclose(nn::SiLU{}(x), silu(x)));
  CHECK(allclose(nn::Tanh{}(x), tanh(x)));
  CHECK(allclose(nn::Sigmoid{}(x), sigmoid(x)));
  CHECK(allclose(nn::Softmax{}(x), softmax(x)));
  CHECK(allclose(nn::Softmax{0}(x), softmax(x, axis(0))));
}

TEST_CASE_TEMPLATE("Sequential runs its modules in order", D, TEST_DEVICES) {
  const nn::Sequential net{nn::Linear<D, double>(4, 5), nn::Tanh{}, nn::Softmax{}, nn::Flatten{0}};
  const auto& layer = std::get<0>(net.modules);
  const Var x = parameter(test::numbers<D>({3, 4}));
  const auto by_hand = [&](const auto& v) {
    return softmax(tanh(linear(v, layer.weight.detach(), layer.bias->detach()))).eval();
  };
  CHECK(allclose(net(x).detach(), by_hand(x.detach()).flatten()));
  CHECK(allclose(net(x.detach()).detach(), net(x).detach()));
  const auto apply = [&](const auto& v) { return net(v); };
  CHECK(gradcheck(apply, x));
  const NoGrad guard;
  CHECK(!net(x).requires_grad());
}
