#include "weft/nn/conv.hpp"

#include "image_vectors.hpp"

using namespace weft;
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
