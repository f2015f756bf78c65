#include "weft/nn/layers/bag.hpp"

#include "sequence.hpp"

using namespace weft;

static_assert(nn::Module<nn::EmbeddingBag<>>);
using test::matches;

TEST_CASE_TEMPLATE("EmbeddingBag is PyTorch's", D, TEST_DEVICES) {
  const auto indices = test::sequence().at("bag.indices").template to<int64_t>(D{});
  const auto offsets = test::sequence().at("bag.offsets").template to<int64_t>(D{});
  const auto check = [&](const std::string& name, nn::EmbeddingBagOptions options) {
    CAPTURE(name);
    nn::EmbeddingBag<D, double> bag(6, 3, options);
    nn::load_state_dict(bag, test::sequence().under(name + ".before."));
    const Var y = name == "bag.matrix" ? bag(indices.reshape({4, 2})) : bag(indices, offsets);
    CHECK(matches<D>(y.detach(), name + ".y0"));
    test::weighted(y).backward();
    CHECK(test::gradients_match<D>(bag, name));
  };
  check("bag.sum", {.mode = nn::BagMode::sum});
  check("bag.mean", {.mode = nn::BagMode::mean});
  check("bag.max", {.mode = nn::BagMode::max});
  check("bag.padded", {.mode = nn::BagMode::mean, .padding_index = 2});
  check("bag.matrix", {.mode = nn::BagMode::sum});
}

TEST_CASE_TEMPLATE("bags that do not fit", D, TEST_DEVICES) {
  const nn::EmbeddingBag<D> bag(6, 3);
  const Tensor<int64_t, D> indices = tensor<int64_t>({1, 2, 3}).to(D{});
  CHECK_SAYS("expected (bags, size)", bag(indices));
  CHECK_SAYS("offset 2 and then 1", bag(indices, tensor<int64_t>({0, 2, 1}).to(D{})));
  CHECK_SAYS("0 first", bag(indices, tensor<int64_t>({1, 2}).to(D{})));
  CHECK(bag(indices(slice(0, 0)), tensor<int64_t>({0, 0}).to(D{})).shape() == Shape{2, 3});
}
