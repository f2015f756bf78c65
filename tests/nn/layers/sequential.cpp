#include "weft/nn/layers/sequential.hpp"

#include "gradients.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/module.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("Flatten", D, TEST_DEVICES) {
  const Var x = parameter(ones({2, 3, 4, 5}, D{}));
  CHECK(nn::Flatten{}(x).shape() == Shape{2, 60});
  CHECK(nn::Flatten{0, 1}(x).shape() == Shape{6, 4, 5});
  CHECK(nn::Flatten{1, -2}(x).shape() == Shape{2, 12, 5});
  CHECK_SAYS("axes 3 to 1", nn::Flatten{3, 1}(x));
}

TEST_CASE_TEMPLATE("Unflatten", D, TEST_DEVICES) {
  const Var x = parameter(ones({2, 12}, D{}));
  CHECK(nn::Unflatten{1, {3, 2, 2}}(x).shape() == Shape{2, 3, 2, 2});
  CHECK(nn::Unflatten{-1, {3, -1}}(x).shape() == Shape{2, 3, 4});
  CHECK(nn::Unflatten{0, {1, 2}}(x).shape() == Shape{1, 2, 12});
  CHECK(nn::Unflatten{1, {3, 4}}(ones({0, 12}, D{})).shape() == Shape{0, 3, 4});
  CHECK_SAYS("[Unflatten] axis 2 of shape (2, 12)", nn::Unflatten{2, {3, 4}}(x));
  CHECK_SAYS("[Unflatten] shape (12,) of 12 elements cannot become (5, -1)",
             nn::Unflatten{1, {5, -1}}(x));
  const nn::Sequential net{nn::Linear<D>(4, 12), nn::Unflatten{1, {3, 4}}};
  CHECK(nn::clone(net)(ones({2, 4}, D{})).shape() == Shape{2, 3, 4});
}

TEST_CASE_TEMPLATE("Sequential runs its modules in order", D, TEST_DEVICES) {
  const nn::Sequential net{nn::Linear<D, double>(4, 5), nn::Tanh{}, nn::Softmax{}, nn::Flatten{0}};
  const auto& layer = net.template get<0>();
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
