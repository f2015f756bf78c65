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

TEST_CASE_TEMPLATE("Dropout2d drops whole channels", D, TEST_DEVICES) {
  nn::Dropout2d drop{0.25};
  const Tensor x = ones({64, 32, 3, 3}, D{});
  manual_seed(4);
  const Tensor y = drop(x).value().to(Cpu{});
  const Tensor<float> sums = sum(y, axis(2, 3));
  int64_t kept = 0;
  for (const float s : sums.to_vector()) {
    CHECK((s == 0.0F || s == doctest::Approx(9 / 0.75)));
    kept += s > 0 ? 1 : 0;
  }
  CHECK(kept == doctest::Approx(0.75 * 64 * 32).epsilon(0.05));
  const Var leaf = parameter(x);
  const Var z = drop(leaf);
  z.backward(ones({64, 32, 3, 3}, D{}));
  CHECK(equal(leaf.grad(), z.detach()));
  drop.training = false;
  CHECK(equal(drop(x).value(), x));
  CHECK_SAYS("[Dropout2d] an input of shape (2, 3)", nn::Dropout2d{}(ones({2, 3}, D{})));
}

TEST_CASE_TEMPLATE("ReLU6, Hardswish, Hardsigmoid and Identity", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{-4, -1, 0, 2, 5, 8}, Shape{6}).to(D{});
  CHECK(nn::ReLU6{}(x).eval().to_vector() == std::vector<float>{0, 0, 0, 2, 5, 6});
  CHECK(nn::Identity{}(x).to_vector() == x.to_vector());
  const auto near = [&](const auto& y, std::vector<float> wanted) {
    CHECK(allclose(Tensor<float, D>(y).to(Cpu{}), tensor(wanted), {1e-6, 1e-6}));
  };
  near(nn::Hardsigmoid{}(x), {0, 1.0F / 3, 0.5F, 5.0F / 6, 1, 1});
  near(nn::Hardswish{}(x), {0, -1.0F / 3, 0, 5.0F / 3, 5, 8});
}
