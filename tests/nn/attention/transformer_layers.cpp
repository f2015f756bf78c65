#include "weft/nn/attention/transformer_layers.hpp"

#include "sequence.hpp"

using namespace weft;
using test::matches;
using test::sequence_input;

namespace {
template <class D>
nn::MultiheadAttentionMasks<double, D> own_masks() {
  return {.key_padding_mask = test::sequence_mask<D>("mask.padding"),
          .attn_mask = test::sequence_mask<D>("mask.causal")};
}
template <class M>
void load(M& module, const std::string& name) {
  nn::load_state_dict(module, test::sequence().under(name + ".before."));
}
}  // namespace

TEST_CASE_TEMPLATE("TransformerEncoderLayer is PyTorch's", D, TEST_DEVICES) {
  using Layer = nn::TransformerEncoderLayer<D, double>;
  Layer post(8, 2, {.dim_feedforward = 12, .dropout = 0});
  load(post, "encoder_layer.post");
  const Var x = sequence_input<D>("encoder_layer.post.x0");
  const Var y = post(x, own_masks<D>());
  CHECK(matches<D>(y.detach(), "encoder_layer.post.y0"));
  test::weighted(y).backward();
  CHECK(matches<D>(x.grad(), "encoder_layer.post.dx0"));
  CHECK(test::gradients_match<D>(post, "encoder_layer.post"));

  Layer pre(8, 2,
            {.dim_feedforward = 12,
             .dropout = 0,
             .activation = nn::FeedForward::gelu,
             .batch_first = true,
             .norm_first = true});
  load(pre, "encoder_layer.pre");
  const Var u = sequence_input<D>("encoder_layer.pre.x0");
  const Var v = pre(u);
  CHECK(matches<D>(v.detach(), "encoder_layer.pre.y0"));
  test::weighted(v).backward();
  CHECK(matches<D>(u.grad(), "encoder_layer.pre.dx0"));
  CHECK(test::gradients_match<D>(pre, "encoder_layer.pre"));
}

TEST_CASE_TEMPLATE("TransformerDecoderLayer is PyTorch's", D, TEST_DEVICES) {
  using Layer = nn::TransformerDecoderLayer<D, double>;
  Layer post(8, 2, {.dim_feedforward = 12, .dropout = 0});
  load(post, "decoder_layer.post");
  const Var x = sequence_input<D>("decoder_layer.post.x0");
  const Var memory = sequence_input<D>("decoder_layer.post.x1");
  const Var y = post(x, memory, own_masks<D>(),
                     {.key_padding_mask = test::sequence_mask<D>("mask.memory_padding")});
  CHECK(matches<D>(y.detach(), "decoder_layer.post.y0"));
  test::weighted(y).backward();
  CHECK(matches<D>(x.grad(), "decoder_layer.post.dx0"));
  CHECK(matches<D>(memory.grad(), "decoder_layer.post.dx1"));
  CHECK(test::gradients_match<D>(post, "decoder_layer.post"));

  Layer pre(8, 2,
            {.dim_feedforward = 12,
             .dropout = 0,
             .activation = nn::FeedForward::gelu,
             .norm_first = true});
  load(pre, "decoder_layer.pre");
  const Var v =
      pre(sequence_input<D>("decoder_layer.pre.x0"), sequence_input<D>("decoder_layer.pre.x1"));
  CHECK(matches<D>(v.detach(), "decoder_layer.pre.y0"));
  test::weighted(v).backward();
  CHECK(test::gradients_match<D>(pre, "decoder_layer.pre"));
}

TEST_CASE_TEMPLATE("a layer's dropout is there in training alone", D, TEST_DEVICES) {
  nn::TransformerEncoderLayer<D> layer(8, 2, {.dim_feedforward = 12, .dropout = 0.5});
  const Var<float, D> x = ones({3, 2, 8}, D{});
  CHECK(!equal(layer(x).detach(), layer(x).detach()));
  nn::eval(layer);
  CHECK(equal(layer(x).detach(), layer(x).detach()));
}

TEST_CASE_TEMPLATE("gelu_tanh in a layer is the function, with gradients and without", D,
                   TEST_DEVICES) {
  const nn::Linear<D> linear(8, 12, {}, D{});
  const Var<float, D> x = randn({3, 2, 8}, D{});
  const Tensor<float, D> expected = gelu_tanh(linear(x)).detach();
  CHECK(allclose(linear.gelu_tanh(x).detach(), expected));
  const NoGrad guard;
  CHECK(allclose(linear.gelu_tanh(x).detach(), expected, {1e-4, 1e-5}));
  const nn::Linear<D> plain(8, 12, {.bias = false}, D{});
  CHECK(allclose(plain.gelu_tanh(x).detach(), Tensor(gelu_tanh(plain(x).detach())), {1e-4, 1e-5}));

  nn::TransformerEncoderLayer<D> layer(
      8, 2, {.dim_feedforward = 12, .dropout = 0.5, .activation = nn::FeedForward::gelu_tanh}, D{});
  CHECK(!equal(layer(x).detach(), layer(x).detach()));
  nn::eval(layer);
  const Var y = layer(x);
  const Var z = layer.norm1(x + layer.self_attn(x, x, x));
  CHECK(allclose(y.detach(), layer.norm2(z + layer.linear2(layer.linear1.gelu_tanh(z))).detach(),
                 {1e-4, 1e-5}));
}

TEST_CASE_TEMPLATE("the feed-forward network's dropout draws as nn::Dropout does", D,
                   TEST_DEVICES) {
  for (const bool bias : {true, false}) {
    for (const double p : {0.0, 0.3, 1.0}) {
      for (const auto activation : {nn::FeedForward::relu, nn::FeedForward::gelu}) {
        CAPTURE(p);
        const nn::Linear<D> layer(8, 12, {.bias = bias});
        const nn::Dropout dropout{p};
        const Var x = parameter(cast<float>(sequence_input<D>("encoder_layer.post.x0").value()));
        const auto gradients = [&](const auto& f) {
          manual_seed(8);
          x.zero_grad();
          nn::zero_grad(layer);
          const Var<float, D> y = f();
          y.backward(cos(y.detach() * 3.0F).eval());
          std::vector<Tensor<float, D>> all = {y.detach(), x.grad().clone(),
                                               layer.weight.grad().clone()};
          if (bias) all.push_back(layer.bias->grad().clone());
          return all;
        };
        const auto whole =
            gradients([&] { return nn::detail::fed(x, layer, activation, dropout); });
        const auto parts = gradients([&] {
          const Var h = layer(x);
          const Var a = activation == nn::FeedForward::relu ? Var(relu(h)) : Var(gelu(h));
          return dropout(a);
        });
        for (std::size_t i = 0; i < whole.size(); ++i) {
          CAPTURE(i);
          CHECK(allclose(whole[i], parts[i], {1e-5, 1e-6}));
        }
        CHECK(layer.relu(x, p).shape() == whole[0].shape());
      }
    }
  }
  CHECK_SAYS("p = 2, expected 0 to 1", nn::detail::fed(Var(ones({3, 8}, D{})), nn::Linear<D>(8, 12),
                                                       nn::FeedForward::relu, nn::Dropout{2}));
}
