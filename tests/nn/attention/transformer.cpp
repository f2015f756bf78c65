#include "weft/nn/attention/transformer.hpp"

#include "sequence.hpp"

using namespace weft;
using test::matches;

TEST_CASE_TEMPLATE("Transformer is PyTorch's, in names, values and gradients", D, TEST_DEVICES) {
  nn::Transformer<D, double> net({.d_model = 8,
                                  .nhead = 2,
                                  .num_encoder_layers = 2,
                                  .num_decoder_layers = 1,
                                  .layer = {.dim_feedforward = 12, .dropout = 0}});
  nn::load_state_dict(net, test::sequence().under("transformer.before."));
  const Var src = test::sequence_input<D>("transformer.x0");
  const Var tgt = test::sequence_input<D>("transformer.x1");
  const Var y = net(src, tgt,
                    {.src = {.key_padding_mask = test::sequence_mask<D>("mask.memory_padding")},
                     .tgt = {.attn_mask = nn::generate_square_subsequent_mask(4, D{})}});
  CHECK(matches<D>(y.detach(), "transformer.y0"));
  test::weighted(y).backward();
  CHECK(matches<D>(src.grad(), "transformer.dx0"));
  CHECK(matches<D>(tgt.grad(), "transformer.dx1"));
  CHECK(test::gradients_match<D>(net, "transformer"));
}

TEST_CASE_TEMPLATE("the layers of a stack begin alike and are their own", D, TEST_DEVICES) {
  const nn::TransformerEncoderLayer<D> layer(4, 1, {.dim_feedforward = 4});
  nn::TransformerEncoder<D> net(layer, 3);
  CHECK(net.layers.size() == 3);
  CHECK(equal(net.layers[0].linear1.weight.detach(), layer.linear1.weight.detach()));
  net.layers[0].linear1.weight.detach().fill(1.0F);
  CHECK(!equal(net.layers[1].linear1.weight.detach(), net.layers[0].linear1.weight.detach()));
  CHECK(nn::parameters(net).size() == 3 * nn::parameters(layer).size());
}
