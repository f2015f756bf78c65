#include "weft/nn/layers/conv.hpp"

#include "image_vectors.hpp"

using namespace weft;

static_assert(nn::Module<nn::Conv2d<>> && nn::Module<nn::ConvTranspose2d<>>);
using test::compare_layers;

TEST_CASE_TEMPLATE("convolutions are PyTorch's, forward and backward", D, TEST_DEVICES) {
  compare_layers<D>("conv1d", nn::Conv1d<D, double>(3, 4, 3, {.stride = 2, .padding = 1}));
  compare_layers<D>(
      "conv2d",
      nn::Conv2d<D, double>(
          4, 6, 3, {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2}));
  compare_layers<D>("conv2d_same",
                    nn::Conv2d<D, double>(2, 3, {3, 4}, {.padding = Padding::same, .bias = false}));
  const auto around = [](PadMode mode) {
    return nn::Conv2d<D, double>(2, 3, 3, {.padding = {1, 2}, .padding_mode = mode});
  };
  compare_layers<D>("conv2d_reflect", around(PadMode::reflect));
  compare_layers<D>("conv2d_replicate", around(PadMode::replicate));
  compare_layers<D>("conv2d_circular", around(PadMode::circular));
  compare_layers<D>("conv2d_depthwise",
                    nn::Conv2d<D, double>(3, 6, 5, {.stride = 2, .padding = 2, .groups = 3}));
  compare_layers<D>("conv2d_pointwise", nn::Conv2d<D, double>(3, 5, 1));
  compare_layers<D>("conv3d", nn::Conv3d<D, double>(2, 3, {2, 3, 3},
                                                    {.stride = {1, 2, 1}, .padding = {0, 1, 1}}));
}

TEST_CASE_TEMPLATE("transposed convolutions are PyTorch's", D, TEST_DEVICES) {
  compare_layers<D>("conv_transpose1d",
                    nn::ConvTranspose1d<D, double>(3, 2, 3, {.stride = 2, .output_padding = 1}));
  compare_layers<D>(
      "conv_transpose2d",
      nn::ConvTranspose2d<D, double>(
          4, 6, 3, {.stride = 2, .padding = 1, .output_padding = 1, .groups = 2, .dilation = 2}));
  compare_layers<D>("conv_transpose3d",
                    nn::ConvTranspose3d<D, double>(2, 3, 2, {.stride = 2, .bias = false}));
}

TEST_CASE_TEMPLATE("first values lie within 1 / sqrt(what a filter reads)", D, TEST_DEVICES) {
  const nn::Conv2d<D> layer(8, 64, 3, {.groups = 2});
  CHECK(layer.weight.shape() == Shape{64, 4, 3, 3});
  const float bound = 1.0F / 6;
  const float largest = max(abs(layer.weight.detach())).item();
  CHECK(largest <= bound);
  CHECK(largest > 0.95F * bound);
  CHECK(max(abs(layer.bias->detach())).item() <= bound);
  CHECK_SAYS("[Conv2d] 3 channels and 4 filters in 2 groups",
             nn::Conv2d<D>(3, 4, 3, {.groups = 2}));
  CHECK_SAYS("a kernel 0, expected at least 1", nn::Conv2d<D>(3, 4, 0));
}

TEST_CASE_TEMPLATE("the format flows through a network, forward and backward", D, TEST_DEVICES) {
  const nn::Conv2d<D> first(3, 8, 3, {.padding = 1});
  const nn::Conv2d<D> second(8, 4, 3);
  const auto values = test::image<float, D>({2, 3, 8, 8});
  const auto run = [&](bool last) {
    nn::zero_grad(first);
    nn::zero_grad(second);
    const Var x = parameter(values);
    const Var start = x * 2.0F;
    const Var a = last ? Var(channels_last(start.value())) : Var(start.value());
    const Var h = relu(first(a)) + 1.0F;
    CHECK(is_channels_last(h) == last);
    const Var gate = sigmoid(mean(h, axis(2, 3), keepdims));
    Var y = h * gate;
    y = second(y);
    CHECK(is_channels_last(y) == last);
    const Var flat = y.reshape({2, -1});
    const Var loss = sum(flat * flat);
    loss.backward();
    return std::tuple(loss.item(), first.weight.grad().clone(), second.weight.grad().clone(),
                      second.bias->grad().clone());
  };
  const auto [loss, dw, dv, db] = run(false);
  const auto [other, ew, ev, eb] = run(true);
  CHECK(loss == doctest::Approx(other));
  CHECK(allclose(dw, ew, {1e-4, 1e-4}));
  CHECK(allclose(dv, ev, {1e-4, 1e-4}));
  CHECK(allclose(db, eb, {1e-4, 1e-4}));
}

TEST_CASE_TEMPLATE("copies of what is channels_last are contiguous", D, TEST_DEVICES) {
  const Tensor x = channels_last(test::image<float, D>({2, 3, 4, 5}));
  CHECK(is_channels_last(x));
  CHECK(x.clone().is_contiguous());
  CHECK(x.contiguous().is_contiguous());
  const Tensor y = x + 1.0F;
  CHECK(is_channels_last(y));
  CHECK(allclose(y.contiguous(), x.contiguous() + 1.0F));
  const Tensor one = channels_last(test::image<float, D>({2, 1, 4, 5}));
  CHECK(is_channels_last(one));
  CHECK(is_channels_last(exp(one).eval()));
  CHECK(!is_channels_last(exp(one.clone()).eval()));
}
