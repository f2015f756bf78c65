// What layers for images and sequences say to what does not fit: one error with the values.
#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/nn/attention/attention.hpp"
#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/group_norm.hpp"
#include "weft/nn/layers/pool.hpp"
#include "weft/nn/recurrent/recurrent.hpp"

using namespace weft;

namespace {
struct Case {
  const char* says;
  void (*run)();
};

Tensor<float> some(const Shape& shape) { return ones(shape); }
const Var<float>& images() {
  static const Var<float> x(some({2, 4, 6, 6}));
  return x;
}
/// (time, batch, width)
const Var<float>& sequences() {
  static const Var<float> x(some({5, 2, 4}));
  return x;
}
template <class F>
void conv(const Shape& x, const Shape& w, const F& options) {
  conv2d(some(x), some(w), options);
}

const Case convolutions[] = {
    {"[conv2d] an input of shape (2, 4, 6, 6) and a weight of shape (3, 5, 3, 3) with 1 groups, "
     "expected a weight for 4 channels",
     [] {
       conv({2, 4, 6, 6}, {3, 5, 3, 3}, ConvOptions{});
     }},
    {"[conv2d] an input of shape (4, 6) and a weight of shape (3, 4, 3, 3), expected (batch, "
     "channel, ...)",
     [] {
       conv({4, 6}, {3, 4, 3, 3}, ConvOptions{});
     }},
    {"[conv2d] 4 channels and 6 filters in 3 groups, expected both divisible by the groups",
     [] {
       conv({2, 4, 6, 6}, {6, 1, 3, 3}, ConvOptions{.groups = 3});
     }},
    {"[conv2d] 0 groups, expected at least 1",
     [] {
       conv({2, 4, 6, 6}, {3, 4, 3, 3}, ConvOptions{.groups = 0});
     }},
    {"[conv2d] a kernel that reaches over 9 of 8 places along spatial axis 0",
     [] {
       conv({2, 4, 6, 6}, {3, 4, 3, 3}, ConvOptions{.padding = 1, .dilation = 4});
     }},
    {"[conv2d] a kernel that reaches over 0 of 6 places",
     [] {
       conv({2, 4, 6, 6}, {3, 4, 0, 3}, ConvOptions{});
     }},
    {"[conv2d] stride 0",
     [] {
       conv({2, 4, 6, 6}, {3, 4, 3, 3}, ConvOptions{.stride = 0});
     }},
    {"[conv2d] padding -1",
     [] {
       conv({2, 4, 6, 6}, {3, 4, 3, 3}, ConvOptions{.padding = -1});
     }},
    {"[conv2d] a bias of shape (4,), expected (3,)",
     [] {
       conv2d(some({2, 4, 6, 6}), some({3, 4, 3, 3}), some({4}));
     }},
    {"[conv_transpose2d] a result of size -1 along spatial axis 0",
     [] {
       conv_transpose2d(some({2, 4, 1, 1}), some({4, 3, 1, 1}), ConvTransposeOptions{.padding = 1});
     }},
    {"[conv_transpose2d] output_padding 2",
     [] {
       conv_transpose2d(some({2, 4, 6, 6}), some({4, 3, 3, 3}),
                        ConvTransposeOptions{.stride = 2, .output_padding = 2});
     }},
    {"[Conv2d] 4 channels and 6 filters in 4 groups, expected at least 1 of each and groups that "
     "divide them",
     [] { nn::Conv2d<>(4, 6, 3, {.groups = 4}); }},
    {"[Conv2d] 0 channels", [] { nn::Conv2d<>(0, 6, 3); }},
    {"[max_pool2d] a kernel that reaches over 7 of 6 places along spatial axis 0",
     [] { max_pool2d(images().detach(), 7); }},
    {"[max_pool2d] padding 2 with a kernel of 3, expected at most half of it",
     [] { max_pool2d(images().detach(), 3, {.padding = 2}); }},
    {"[max_pool2d] an input of shape (4,), expected (batch, channel, ...) with 2 spatial axes",
     [] { max_pool2d(some({4}), 2); }},
    {"[avg_pool2d] a kernel", [] { avg_pool2d(images().detach(), 0); }},
    {"[adaptive_avg_pool2d] an input of shape (2, 4, 0, 6), expected elements",
     [] {
       adaptive_avg_pool2d(some({2, 4, 0, 6}), 1);
     }},
    {"[adaptive_avg_pool2d] a size", [] { adaptive_avg_pool2d(images().detach(), -1); }},
    {"[pixel_shuffle] ", [] { pixel_shuffle(images().detach(), 3); }},
    {"[interpolate] ", [] { interpolate(images().detach(), {.scale = 0}); }},
    {"[BatchNorm2d] an input of shape (2, 4, 6, 6), expected (batch, 3, ...) of 4 axes",
     [] { nn::BatchNorm2d<>(3)(images()); }},
    {"[BatchNorm2d] an input of shape (1, 4, 1, 1) in training, expected more than one value a "
     "channel",
     [] {
       nn::BatchNorm2d<>(4)(Var<float>(some({1, 4, 1, 1})));
     }},
    {"[BatchNorm2d] -1 channels, expected at least 0", [] { nn::BatchNorm2d<>(-1); }},
    {"[GroupNorm] 4 channels in 3 groups", [] { nn::GroupNorm<>(3, 4); }},
    {"[GroupNorm] -2 channels", [] { nn::GroupNorm<>(1, -2); }},
    {"[GroupNorm] an input of shape (2, 4, 6, 6), expected (batch, 6, ...)",
     [] { nn::GroupNorm<>(2, 6)(images()); }},
    {"[InstanceNorm2d] an input of shape (2, 4, 1, 1)",
     [] {
       nn::InstanceNorm2d<>(4)(Var<float>(some({2, 4, 1, 1})));
     }},
    {"[LayerNorm] ", [] { nn::LayerNorm<>(5)(images()); }},
};

const Case layers_of_sequences[] = {
    {"[rnn] an input of shape (5, 2, 4), expected (time, batch, 3)",
     [] { nn::RNN<>(3, 4)(sequences()); }},
    {"[rnn] an input of shape (0, 2, 4), expected a step at least",
     [] {
       nn::RNN<>(4, 4)(Var<float>(some({0, 2, 4})));
     }},
    {"[rnn] a sequence of length 0, expected 1 to 5",
     [] {
       nn::RNN<>(4, 4)(sequences(), {}, {5, 0});
     }},
    {"[rnn] a sequence of length 6, expected 1 to 5",
     [] {
       nn::RNN<>(4, 4)(sequences(), {}, {5, 6});
     }},
    {"[rnn] lengths of shape (3,) for a batch of 2",
     [] {
       nn::RNN<>(4, 4)(sequences(), {}, {5, 4, 3});
     }},
    {"[rnn] a state of shape (1, 3, 4)",
     [] {
       const Var<float> h(some({1, 3, 4}));
       nn::RNN<>(4, 4)(sequences(), h);
     }},
    {"[rnn] input_size 4, hidden_size 0, num_layers 1", [] { nn::RNN<>(4, 0); }},
    {"[rnn] dropout 1.5, expected 0 to 1",
     [] { nn::RNN<>(4, 4, {.num_layers = 2, .dropout = 1.5}); }},
    {"[MultiheadAttention] a width of 4 for 3 heads, expected a multiple",
     [] { nn::MultiheadAttention<>(4, 3); }},
    {"[MultiheadAttention] a width of 0 for 1 heads", [] { nn::MultiheadAttention<>(0, 1); }},
    {"[MultiheadAttention] dropout 2, expected 0 to 1",
     [] { nn::MultiheadAttention<>(4, 2, {.dropout = 2}); }},
    {"[MultiheadAttention] queries (5, 2, 4), keys (5, 2, 4) and values (5, 2, 4), expected "
     "(length, batch, width) of widths 6, 6 and 6",
     [] { nn::MultiheadAttention<>(6, 2)(sequences(), sequences(), sequences()); }},
    {"[MultiheadAttention] key_padding_mask of shape (5, 2), expected (2, 5)",
     [] {
       const nn::MultiheadAttention<> layer(4, 2);
       layer(sequences(), sequences(), sequences(), {.key_padding_mask = full({5, 2}, true)});
     }},
    {"[MultiheadAttention] attn_mask of shape (4, 5), expected (5, 5) or one for each head, (4, 5, "
     "5)",
     [] {
       const nn::MultiheadAttention<> layer(4, 2);
       layer(sequences(), sequences(), sequences(), {.attn_mask = some({4, 5})});
     }},
    {"[scaled_dot_product_attention] ",
     [] {
       scaled_dot_product_attention(some({2, 5, 4}), some({2, 5, 3}), some({2, 5, 3}));
     }},
};
}  // namespace

TEST_CASE("layers of images and sequences refuse what does not fit, with the values") {
  for (const Case& c : convolutions) CHECK_SAYS(c.says, c.run());
  for (const Case& c : layers_of_sequences) CHECK_SAYS(c.says, c.run());
}
