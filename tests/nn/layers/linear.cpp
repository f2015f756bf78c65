#include "weft/nn/layers/linear.hpp"

#include "training.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

static_assert(nn::Module<nn::Linear<>> && nn::Module<nn::Embedding<>>);
using test::pytorch;

namespace {
// The device comes first: nn::Linear<double> is an error where it is written.
template <class D>
concept MakesLinear = requires {
  typename nn::Linear<D>;
};
static_assert(MakesLinear<Cpu> && !MakesLinear<double>);

template <class D, class V>
void backward_weighted(const V& y) {
  const Tensor<double, D> weight =
      cast<double>(arange<int64_t>(1, y.size() + 1)).eval().to(D{}).reshape(y.shape());
  const Var loss = sum(y * y * weight);
  loss.backward();
}
template <class D>
Tensor<double, D> numbers(const Shape& shape) {
  return sin(arange<double>(static_cast<double>(shape.size()), D{})).eval().reshape(shape);
}
}  // namespace

TEST_CASE_TEMPLATE("Linear is PyTorch's", D, TEST_DEVICES) {
  nn::Linear<D, double> layer(5, 3);
  nn::load_state_dict(layer, pytorch().under("layer.linear.before."));
  const Var x = parameter(pytorch<double, D>("layer.linear.x"));
  const Var y = layer(x);
  CHECK(allclose(y.detach(), pytorch<double, D>("layer.linear.y"), {1e-10, 1e-10}));
  backward_weighted<D>(y);
  CHECK(allclose(x.grad(), pytorch<double, D>("layer.linear.dx"), {1e-9, 1e-9}));
  CHECK(
      allclose(layer.weight.grad(), pytorch<double, D>("layer.linear.grad.weight"), {1e-9, 1e-9}));
  CHECK(allclose(layer.bias->grad(), pytorch<double, D>("layer.linear.grad.bias"), {1e-9, 1e-9}));
}

TEST_CASE_TEMPLATE("Linear begins within 1 / sqrt(in)", D, TEST_DEVICES) {
  const nn::Linear<D> layer(100, 300);
  const float largest = max(abs(layer.weight.detach())).item();
  CHECK(largest <= 0.1F);
  CHECK(largest > 0.0999F);
  CHECK(std::abs(mean(layer.weight.detach()).item()) < 1e-3F);
  CHECK(max(abs(layer.bias->detach())).item() <= 0.1F);
  const nn::Linear<D> plain(4, 2, {.bias = false});
  CHECK(nn::named_parameters(plain).size() == 1);
  CHECK(plain(ones({3, 4}, D{})).shape() == Shape{3, 2});
}

TEST_CASE_TEMPLATE("relu of Linear, recorded or not", D, TEST_DEVICES) {
  const nn::Linear<D, float> layer(5, 7);
  const nn::Linear<D, float> plain(5, 7, {.bias = false});
  const Tensor<float, D> x = cast<float>(numbers<D>({2, 4, 5}));
  const auto same = [&](const auto& net) {
    const Var expected = relu(net(Var(x)));
    CHECK(net.relu(Var(x)).requires_grad());
    CHECK(allclose(net.relu(Var(x)).detach(), expected.detach()));
    const NoGrad guard;
    CHECK_FALSE(net.relu(Var(x)).requires_grad());
    CHECK(allclose(net.relu(Var(x)).detach(), expected.detach()));
  };
  same(layer);
  same(plain);
  CHECK_SAYS("x of shape (2, 4, 7) for a layer from 5 to 7", layer.relu(layer(Var(x))));
}

TEST_CASE("relu of Linear names a wrong probability of dropout") {
  const nn::Linear<Cpu> layer(2, 3);
  const Var x = parameter(ones({1, 2}));
  CHECK_SAYS("p = 1.5, expected 0 to 1", layer.relu(x, 1.5));
}

TEST_CASE_TEMPLATE("Linear plus a residual connection", D, TEST_DEVICES) {
  for (const bool bias : {true, false}) {
    nn::Linear<D, double> layer(5, 3, {.bias = bias});
    const Var x = parameter(numbers<D>({2, 4, 5}));
    const Var r = parameter(numbers<D>({2, 4, 3}));
    const Var y = layer.plus(x, r);
    const Var apart = layer(x) + r;
    CHECK(allclose(y.detach(), apart.detach(), {1e-12, 1e-12}));
    backward_weighted<D>(y);
    const Tensor dx = x.grad().clone();
    const Tensor dr = r.grad().clone();
    const Tensor dw = layer.weight.grad().clone();
    nn::zero_grad(layer);
    x.zero_grad();
    r.zero_grad();
    backward_weighted<D>(Var(apart * 1.0));
    CHECK(allclose(x.grad(), dx, {1e-12, 1e-12}));
    CHECK(allclose(r.grad(), dr, {1e-12, 1e-12}));
    CHECK(allclose(layer.weight.grad(), dw, {1e-12, 1e-12}));
    CHECK_SAYS("x of shape (2, 4, 3) for a layer from 5 to 3 features", layer.plus(r, r));
  }
}

TEST_CASE_TEMPLATE("Embedding is PyTorch's", D, TEST_DEVICES) {
  nn::Embedding<D, double> layer(6, 3, {.padding_index = 2});
  CHECK(all(layer.weight.detach()(2) == 0.0).item());
  nn::load_state_dict(layer, pytorch().under("layer.embedding.before."));
  const Var y = layer(pytorch<int64_t, D>("layer.embedding.x"));
  CHECK(allclose(y.detach(), pytorch<double, D>("layer.embedding.y"), {1e-12, 1e-12}));
  backward_weighted<D>(y);
  CHECK(allclose(layer.weight.grad(), pytorch<double, D>("layer.embedding.grad.weight"),
                 {1e-12, 1e-12}));
  const Var plain = nn::Embedding<D>(6, 3)(pytorch<int64_t, D>("layer.embedding.x"));
  CHECK(plain.shape() == Shape{2, 2, 3});
  CHECK_SAYS("padding_index 6 among 6", nn::Embedding<D>(6, 3, {.padding_index = 6}));
}
