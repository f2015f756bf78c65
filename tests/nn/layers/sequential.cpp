#include "weft/nn/layers/sequential.hpp"

#include "gradients.hpp"
#include "weft/nn/layers/linear.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("Flatten", D, TEST_DEVICES) {
  const Var x = parameter(ones({2, 3, 4, 5}, D{}));
  CHECK(nn::Flatten{}(x).shape() == Shape{2, 60});
  CHECK(nn::Flatten{0, 1}(x).shape() == Shape{6, 4, 5});
  CHECK(nn::Flatten{1, -2}(x).shape() == Shape{2, 12, 5});
  CHECK_SAYS("axes 3 to 1", nn::Flatten{3, 1}(x));
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
