#include "weft/nn/models/gpt.hpp"

#include "sequence.hpp"
#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using test::matches;

namespace {
nn::models::GptConfig small() {
  return {.vocab_size = 13, .n_positions = 7, .n_embd = 8, .n_layer = 2, .n_head = 2, .dropout = 0};
}
}  // namespace

TEST_CASE_TEMPLATE("Gpt of a file of Hugging Face's is PyTorch's, with gradients", D,
                   TEST_DEVICES) {
  nn::models::Gpt<D, double> model(small());
  nn::models::load_gpt(model, test::sequence().under("gpt.file."));
  const auto ids = test::sequence().at("gpt.ids").template to<int64_t>(D{});
  const Var y = model(ids);
  CHECK(matches<D>(y.detach(), "gpt.y"));
  test::weighted(y).backward();
  CHECK(test::gradients_match<D>(model, "gpt"));
}

TEST_CASE_TEMPLATE("tokens from a cache are those without", D, TEST_DEVICES) {
  nn::models::Gpt<D, double> model(small());
  nn::models::load_gpt(model, test::sequence().under("gpt.file."));
  nn::eval(model);
  const auto ids = test::sequence().at("gpt.ids").template to<int64_t>(D{});
  const NoGrad guard;
  typename nn::models::Gpt<D, double>::Cache cache;
  const Tensor<double, D> whole = test::sequence<D>("gpt.y");
  CHECK(allclose(model.next(ids(all, slice(0, 3)), cache).detach(), whole(all, 2), {1e-9, 1e-9}));
  CHECK(allclose(model.next(ids(all, slice(3, 5)), cache).detach(), whole(all, 4), {1e-9, 1e-9}));
  const Tensor<int64_t, D> text = model.generate(ids, 2, {.temperature = 0});
  CHECK(equal(text(all, slice(0, 5)), ids));
  CHECK(equal(text(all, 5), argmax(whole(all, 4), axis(1))));
  CHECK(equal(model.generate(ids, 1, {.top_k = 1}), model.generate(ids, 1, {.temperature = 0})));
  CHECK_SAYS("behind 7, expected (batch, length) with at most 7", model.generate(ids, 4));
  CHECK_SAYS("top_k -1", model.generate(ids, 1, {.top_k = -1}));
}

TEST_CASE_TEMPLATE("tokens are drawn with the model's probabilities", D, TEST_DEVICES) {
  nn::models::Gpt<D> model(small());
  model.ln_f.weight->detach().fill(0.0F);  // the logits depend on the bias alone
  const Tensor<float, D> bias = model.ln_f.bias->detach();
  bias.fill(0.0F);
  bias(0).fill(1.0F);
  model.wte.weight.detach().fill(0.0F);
  model.wte.weight.detach()(3, 0).fill(2.0F);
  const Tensor<int64_t, D> ids = zeros<int64_t>({20000, 1}, D{});
  const Tensor<int64_t, D> next = model.generate(ids, 1)(all, 1);
  const double share = static_cast<double>(count_nonzero(next == int64_t{3}).item()) / 20000;
  CHECK(share == doctest::Approx(std::exp(2.0) / (std::exp(2.0) + 12)).epsilon(0.05));
}
