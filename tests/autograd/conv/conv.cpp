#include "weft/autograd/conv/conv.hpp"

#include "gradients.hpp"
#include "images.hpp"
#include "weft/autograd/conv/pool.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("gradients of convolutions are differences", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({2, 4, 5, 4}));
  const Var w = parameter(test::numbers<D>({4, 2, 3, 2}, 0.3));
  const Var b = parameter(test::numbers<D>({4}, 0.7));
  const ConvOptions o{.stride = {2, 1}, .padding = 1, .groups = 2};
  CHECK(gradcheck([&](const auto& a, const auto& k, const auto& s) { return conv2d(a, k, s, o); },
                  x, w, b));
  const ConvTransposeOptions back{.stride = 2, .padding = 1, .groups = 2};
  CHECK(
      gradcheck([&](const auto& a, const auto& k) { return conv_transpose2d(a, k, back); }, x, w));
}

TEST_CASE_TEMPLATE("channels_last of a Var inside a network", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({2, 3, 4, 5}));
  const Var w = parameter(test::numbers<D>({4, 3, 3, 3}, 0.3));
  CHECK(is_channels_last(Var(conv2d(channels_last(x), w)).value()));
  CHECK(equal(channels_last(x).detach(), x.detach()));
  CHECK(gradcheck([](const auto& a, const auto& k) { return conv2d(channels_last(a), k); }, x, w));
  const Var y = channels_last(x * 2.0);
  const Var again = channels_last(y);
  CHECK(again.value().data() == y.value().data());
  CHECK(is_channels_last(channels_last(x.detach() + 1.0)));
  x.zero_grad();
  sum(y * y + y).backward();
  CHECK(allclose(x.grad(), x.detach() * 8.0 + 2.0));
  CHECK_SAYS("[channels_last] a tensor of shape (9, 3), expected",
             channels_last(Var(w.narrow(0, 0, 1).reshape({9, 3}))));
}

TEST_CASE_TEMPLATE("only what asks for a gradient gets one", D, TEST_DEVICES) {
  const auto x = test::numbers<D>({1, 2, 4, 4});
  const Var w = parameter(test::numbers<D>({3, 2, 3, 3}));
  const Var y = conv2d(x, w);
  CHECK(y.requires_grad());
  const Var loss = sum(y);
  loss.backward();
  CHECK(w.grad().shape() == w.shape());
  const NoGrad guard;
  CHECK(!conv2d(x, w).requires_grad());
}

TEST_CASE_TEMPLATE("relu of a convolution is computed with it", D, TEST_DEVICES) {
  const auto x = test::numbers<D>({2, 3, 5, 4});
  const auto w = test::numbers<D>({4, 3, 3, 3});
  const auto b = test::numbers<D>({4});
  for (const bool last : {false, true}) {
    const auto in = last ? channels_last(x) : x;
    const Tensor apart = conv2d(in, w, b, {.padding = 1});
    const Tensor together = relu(conv2d(in, w, b, {.padding = 1}));
    CHECK(is_channels_last(together) == last);
    CHECK(allclose(together, relu(apart), {1e-12, 1e-12}));
    CHECK(allclose(relu(conv2d(in, w)), relu(Tensor(conv2d(in, w))), {1e-12, 1e-12}));
    // Depthwise ones, whose kernels are others: of floats channels-last by vectors too.
    const auto many = test::image<float, D>({2, 8, 6, 5});
    const auto each = test::image<float, D>({8, 1, 3, 3}, 1);
    const auto shift = test::image<float, D>({8}, 2);
    const ConvOptions o{.padding = 1, .groups = 8};
    const auto images = last ? channels_last(many) : many;
    const Tensor kept = conv2d(images, each, shift, o);
    CHECK(min(kept).item() < 0);
    CHECK(allclose(relu(conv2d(images, each, shift, o)), relu(kept), {1e-5, 1e-6}));
  }
  const auto layer = [](const auto& v, const auto& weight, const auto& bias) {
    return relu(conv2d(v, weight, bias, {.stride = 2, .padding = 1}));
  };
  CHECK(gradcheck(layer, parameter(x), parameter(w), parameter(b)));
  CHECK(gradcheck([&](const auto& v) { return relu(conv_transpose2d(v, w, {.stride = 2})); },
                  parameter(test::numbers<D>({1, 4, 3, 3}))));
}

TEST_CASE_TEMPLATE("a convolution is computed once, when its value is used", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({3, 6, 5}));  // one image
  const Var w = parameter(test::numbers<D>({2, 3, 3, 3}));
  const auto y = conv2d(x, w);
  CHECK(y.shape() == Shape{2, 4, 3});
  CHECK(y.rank() == 3);
  const Var a = y;
  const Var b = y;
  CHECK(a.value().data() == b.value().data());
  CHECK(equal(relu(y), relu(a)));
  sum(y * 2.0 + y).backward();
  const Tensor thrice = w.grad().clone();
  w.zero_grad();
  sum(conv2d(x, w)).backward();
  CHECK(allclose(thrice, w.grad() * 3.0, {1e-12, 1e-12}));
}

TEST_CASE(
    "what only the gradient's mask needs is freed before the gradients of images and weights") {
  const Var x = parameter(ones({2, 3, 64, 64}));
  const Var w = parameter(full({16, 3, 3, 3}, 0.1F));
  const Var y = max_pool2d(relu(conv2d(x, w, {.padding = 1})), 2);
  int64_t alive = 0;
  x.register_hook([&](const auto&) { alive = cpu::memory_allocated(); });
  const auto pass = [&](auto... options) {
    x.zero_grad();
    w.zero_grad();
    y.backward(ones(y.shape()), options...);
    return alive;
  };
  pass(retain);
  const Tensor<float> dw = w.grad().clone();
  const int64_t kept = pass(retain);
  const int64_t result = 2 * 16 * 64 * 64 * 4;
  CHECK(kept - pass() >= result + result / 4);  // and the places of the largest elements
  CHECK(equal(w.grad(), dw));
  CHECK_THROWS_AS(pass(), ValueError);
}
