#include "weft/nn/attention/attention.hpp"

#include "sequence.hpp"

using namespace weft;
using test::matches;
using test::numbers;
using test::sequence_input;

namespace {
template <class D, class M>
void load(M& module, const std::string& name) {
  nn::load_state_dict(module, test::sequence().under(name + ".before."));
}
}  // namespace

TEST_CASE_TEMPLATE("MultiheadAttention of a tensor with itself is PyTorch's", D, TEST_DEVICES) {
  nn::MultiheadAttention<D, double> layer(8, 2);
  load<D>(layer, "mha.self");
  const nn::MultiheadAttentionMasks<double, D> masks{
      .key_padding_mask = test::sequence_mask<D>("mask.padding"),
      .attn_mask = test::sequence_mask<D>("mask.causal")};
  const Var x = sequence_input<D>("mha.self.x0");
  const Var y = layer(x, x, x, masks);
  CHECK(matches<D>(y.detach(), "mha.self.y0"));
  const auto [same, weights] = layer.with_weights(x, x, x, masks);
  CHECK(matches<D>(same.detach(), "mha.self.y0"));
  CHECK(matches<D>(weights.detach(), "mha.self.y1"));
  (test::weighted(same) + test::weighted(weights)).eval().backward();
  CHECK(test::gradients_match<D>(layer, "mha.self"));
  // The same masks in other forms.
  const Tensor<double, D> added = where(*masks.attn_mask.ignored, -1e300, 0.0);
  const Var z = layer(x, x, x, {.key_padding_mask = masks.key_padding_mask, .attn_mask = added});
  CHECK(matches<D>(z.detach(), "mha.self.y0"));
  const Var w = layer(x, x, x, {.key_padding_mask = masks.key_padding_mask, .is_causal = true});
  CHECK(matches<D>(w.detach(), "mha.self.y0"));
}

TEST_CASE_TEMPLATE("MultiheadAttention without stored weights has the same gradients", D,
                   TEST_DEVICES) {
  nn::MultiheadAttention<D, double> layer(8, 2, {.batch_first = true});
  const Var x = parameter(numbers<D>({2, 3, 8}));
  const auto gradients = [&](const auto& f) {
    nn::zero_grad(layer);
    x.zero_grad();
    test::weighted(f()).backward();
    std::vector<Tensor<double, D>> out{x.grad()};
    for (const auto& p : nn::parameters(layer)) out.push_back(p.grad());
    return out;
  };
  const auto one = gradients([&] { return layer(x, x, x, {.is_causal = true}); });
  const auto other =
      gradients([&] { return layer.with_weights(x, x, x, {.is_causal = true}).first; });
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(allclose(one[i], other[i], {1e-9, 1e-9}));
}

TEST_CASE_TEMPLATE("MultiheadAttention of other keys and values is PyTorch's", D, TEST_DEVICES) {
  nn::MultiheadAttention<D, double> wide(8, 2, {.kdim = 5, .vdim = 6, .batch_first = true});
  load<D>(wide, "mha.wide");
  const nn::MultiheadAttentionMasks<double, D> masks{
      .key_padding_mask = test::sequence_mask<D>("mask.memory_padding")};
  const auto q = sequence_input<D>("mha.wide.x0");
  const auto k = sequence_input<D>("mha.wide.x1");
  const auto v = sequence_input<D>("mha.wide.x2");
  CHECK(matches<D>(wide(q, k, v, masks).detach(), "mha.wide.y0"));
  const auto [y, weights] = wide.with_weights(q, k, v, masks);
  CHECK(matches<D>(y.detach(), "mha.wide.y0"));
  (test::weighted(y) + test::weighted(weights)).eval().backward();
  CHECK(test::gradients_match<D>(wide, "mha.wide"));
  CHECK(matches<D>(q.grad(), "mha.wide.dx0"));
  CHECK(matches<D>(k.grad(), "mha.wide.dx1"));
  CHECK(matches<D>(v.grad(), "mha.wide.dx2"));

  nn::MultiheadAttention<D, double> plain(8, 4, {.bias = false});
  load<D>(plain, "mha.plain");
  const auto x = sequence_input<D>("mha.plain.x0");
  const auto memory = sequence_input<D>("mha.plain.x1");
  CHECK(matches<D>(plain(x, memory, memory).detach(), "mha.plain.y0"));
  const auto each = plain.with_weights(x, memory, memory, {}, false).second;
  CHECK(matches<D>(each.detach(), "mha.plain.y1"));
  const Var alone = plain(x(all, 0), memory(all, 0), memory(all, 0));
  CHECK(allclose(alone.detach(), plain(x, memory, memory).detach()(all, 0), {1e-12, 1e-12}));
}

TEST_CASE_TEMPLATE("a query that ignores all keys gives 0, with weights too", D, TEST_DEVICES) {
  const nn::MultiheadAttention<D, double> layer(4, 2);
  const Var x = parameter(numbers<D>({3, 2, 4}));
  // With causality, the first query of the first sequence is left without a key.
  const Tensor<bool, D> padding = tensor({{true, false, false}, {false, false, true}}).to(D{});
  const Tensor<double, D> added = where(padding, -math::infinity<double>, 0.0);
  using Masks = nn::MultiheadAttentionMasks<double, D>;
  for (const Masks& masks : {Masks{.key_padding_mask = padding, .is_causal = true},
                             Masks{.key_padding_mask = added, .is_causal = true}}) {
    const Var y = layer(x, x, x, masks);
    const auto [same, weights] = layer.with_weights(x, x, x, masks);
    CHECK(allclose(y.detach(), same.detach(), {1e-12, 1e-12}));
    CHECK(max(abs(weights.detach()(0, 0))).item() == 0);
    CHECK(weights.detach().sum().item() == doctest::Approx(5));
    x.zero_grad();
    test::weighted(y).backward();
    const Tensor<double, D> gradient = x.grad().clone();
    x.zero_grad();
    test::weighted(same).backward();
    CHECK(allclose(x.grad(), gradient, {1e-9, 1e-9}));
  }
}

TEST_CASE_TEMPLATE("MultiheadAttention with weights takes inputs without a batch", D,
                   TEST_DEVICES) {
  const nn::MultiheadAttention<D, double> layer(4, 2);
  const Var<double, D> x = numbers<D>({3, 4});
  const nn::MultiheadAttentionMasks<double, D> masks{.key_padding_mask =
                                                         tensor({false, true, false}).to(D{})};
  const auto [y, weights] = layer.with_weights(x, x, x, masks);
  CHECK(allclose(y.detach(), layer(x, x, x, masks).detach(), {1e-12, 1e-12}));
  CHECK(weights.shape() == Shape{3, 3});
  CHECK(layer.with_weights(x, x, x, masks, false).second.shape() == Shape{2, 3, 3});
}

TEST_CASE_TEMPLATE("MultiheadAttention says what does not fit", D, TEST_DEVICES) {
  CHECK_SAYS("a width of 8 for 3 heads", nn::MultiheadAttention<D>(8, 3));
  const nn::MultiheadAttention<D, double> layer(8, 2);
  const Var<double, D> x = numbers<D>({4, 2, 8});
  CHECK_SAYS("of widths 8, 8 and 8", layer(x, x, Var(numbers<D>({4, 2, 6}))));
  const Tensor<bool, D> mask = zeros<bool>({2, 4}, D{});
  CHECK_SAYS("attn_mask of shape (2, 4), expected (4, 4) or one for each head, (4, 4, 4)",
             layer(x, x, x, {.attn_mask = mask}));
  std::string said;
  try {
    layer(x, x, x, {.key_padding_mask = Tensor<bool, D>(zeros<bool>({2, 3}, D{}))});
  } catch (const ShapeError& error) {
    said = error.what();
  }
  CHECK(said == "[MultiheadAttention] key_padding_mask of shape (2, 3), expected (2, 4)");
}
