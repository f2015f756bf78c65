#include "weft/nn/models/bert.hpp"

#include "sequence.hpp"
#include "weft/nn/flatten.hpp"

using namespace weft;
using test::matches;

namespace {
nn::models::BertConfig small() {
  nn::models::BertConfig config;
  config.vocab_size = 11;
  config.hidden_size = 8;
  config.num_hidden_layers = 2;
  config.num_attention_heads = 2;
  config.intermediate_size = 12;
  config.max_position_embeddings = 6;
  return config;
}
}  // namespace

TEST_CASE_TEMPLATE("Bert of a file of Hugging Face's is PyTorch's", D, TEST_DEVICES) {
  nn::models::Bert<D, double> model(small());
  nn::models::load_bert(model, test::sequence().under("bert.file."));
  nn::eval(model);
  const NoGrad guard;
  const auto ids = test::sequence().at("bert.ids").template to<int64_t>(D{});
  const auto types = test::sequence().at("bert.types").template to<int64_t>(D{});
  const Tensor<bool, D> mask = test::sequence_mask<D>("bert.mask");
  const Tensor<bool, D> rows = mask.unsqueeze(2);
  // What is behind a sentence's end differs by nothing but padding, which nobody reads.
  const auto same = [&](const Var<double, D>& y, const char* name) {
    return allclose(where(rows, y.detach(), 0.0), where(rows, test::sequence<D>(name), 0.0),
                    {1e-9, 1e-9});
  };
  const Var y = model(ids, mask, types);
  CHECK(same(y, "bert.y"));
  CHECK(same(model(ids, mask), "bert.plain"));
  CHECK(matches<D>(model.pooled(y).detach(), "bert.pooled"));
  CHECK(matches<D>(nn::models::sentence_vectors(y, mask).detach(), "bert.sentences"));
  CHECK(allclose(model(ids(slice(1, 2)), {}, types(slice(1, 2))).detach(), y.detach()(slice(1, 2)),
                 {1e-9, 1e-9}));
  const auto names = nn::state_dict(model).names();
  CHECK(std::find(names.begin(), names.end(), "encoder.layer.1.attention.self.query.weight") !=
        names.end());
}

TEST_CASE_TEMPLATE("queries, keys and values are one product where nothing is recorded", D,
                   TEST_DEVICES) {
  nn::models::Bert<D, double> model(small());
  nn::eval(model);
  const Tensor<int64_t, D> ids = tensor<int64_t>({{1, 2, 3}, {4, 5, 6}}).to(D{});
  const Tensor recorded = model(ids).detach();
  const auto products = [&](const auto& net) {
    const NoGrad guard;
    CHECK(allclose(net(ids).detach(), recorded, {1e-12, 1e-12}));
    const auto& self = net.encoder.layer[1].attention.self;
    return self.key.weight.value().data() == self.query.weight.value().data() + 64 &&
           self.value.bias->value().data() == self.key.bias->value().data() + 8;
  };
  CHECK(products(model));
  nn::load_state_dict(model, nn::state_dict(nn::clone(model)));
  CHECK(products(model));
  // Elsewhere they lie apart.
  CHECK_FALSE(products(nn::clone(model)));
  nn::flatten_parameters(model);
  CHECK_FALSE(products(model));
  auto& layer = model.encoder.layer[0].attention.self;
  layer.query.bias.reset();
  layer.key.bias.reset();
  layer.value.bias.reset();
  const Tensor without = model(ids).detach();
  const NoGrad guard;
  CHECK(allclose(model(ids).detach(), without, {1e-12, 1e-12}));
}

TEST_CASE_TEMPLATE("Bert learns, and its heads and types are checked", D, TEST_DEVICES) {
  nn::models::BertConfig config = small();
  config.pooler = false;
  const nn::models::Bert<D> model(config);
  const Tensor<int64_t, D> ids = tensor<int64_t>({{1, 2, 3}, {4, 5, 6}}).to(D{});
  const Tensor<bool, D> mask = ones<bool>({2, 3}, D{});
  const Var y = nn::models::sentence_vectors(model(ids, mask), mask);
  CHECK(y.shape() == Shape{2, 8});
  sum(y * y * ones({8}, D{})).eval();
  const Var loss = sum(y * arange<float>(8, D{}));
  loss.backward();
  for (const auto& item : nn::named_parameters(model)) {
    const auto& [name, x] = item;
    CAPTURE(item.first);
    if (x.has_grad()) CHECK(all(isfinite(x.grad())).item());
  }
  CHECK(model.encoder.layer[0].attention.self.query.weight.has_grad());
  CHECK_SAYS("there is no pooler", model.pooled(y));
  CHECK_SAYS("a length of at most 6", model(zeros<int64_t>({1, 7}, D{})));
  CHECK_SAYS("a mask of shape (2, 2) for tokens of (2, 3)", model(ids, mask(all, slice(0, 2))));
  config.num_attention_heads = 3;
  CHECK_SAYS("a width of 8 for 3 heads", nn::models::Bert<D>(config));
}
