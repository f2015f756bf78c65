#include "weft/dist/sharding/fully_sharded.hpp"

#include <weft/dist/sharding/shards.hpp>
#include <weft/dist/sharding/state.hpp>
#include "test.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

// With several ranks: tests/several_ranks/sharded.cpp.
TEST_CASE("alone it trains as without") {
  nn::Sequential net{nn::Linear<>(3, 5), dist::Unit{nn::Linear<>(5, 5)}, nn::Tanh{},
                     dist::Unit{nn::Linear<>(5, 2)}};
  auto other = nn::clone(net);
  const dist::FullyShardedDataParallel model(net, dist::Group());
  optim::Adam mine(model.parameters(), {.lr = 0.1});
  optim::Adam whole(nn::parameters(other), {.lr = 0.1});
  CHECK(model.shard_elements() == 6 * 64);
  for (int i = 0; i < 3; ++i) {
    const Var<float> x = randn({4, 3});
    mine.zero_grad();
    whole.zero_grad();
    Var(sum(square(model(x)))).backward();
    Var(sum(square(other(x)))).backward();
    mine.step();
    whole.step();
  }
  const StateDict found = model.state_dict();
  for (const auto& [name, x] : nn::state_dict(other)) {
    CHECK(allclose(found.get<float>(name), x.to<float>(Cpu{})));
  }
}

TEST_CASE("pieces take turns in two buffers, and their gradients come to the shards") {
  nn::Sequential net{dist::Unit{nn::Linear<>(3, 2)}, dist::Unit{nn::Linear<>(2, 2)},
                     dist::Unit{nn::Linear<>(2, 2)}};
  const StateDict before = nn::state_dict(nn::clone(net));
  const auto shards = std::make_shared<dist::Shards<float, Cpu>>(dist::Group(), Cpu{});
  shards->build(dist::detail::pieces_of<float, Cpu>("test", net, true, 100));
  auto& pieces = shards->pieces();
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].part == 128);  // two parameters, each aligned
  CHECK(pieces[0].slot == pieces[2].slot);
  CHECK(pieces[0].all.data() == pieces[2].all.data());
  const auto is_there = [&](const char* name, std::size_t i, std::size_t leaf) {
    return equal(pieces[i].leaves[leaf].value(), before.get<float>(name));
  };
  shards->need(0);
  shards->prefetch(1, 0, false);
  shards->prefetch(2, 0, false);  // would take the memory of 0
  CHECK(is_there("0.weight", 0, 0));
  shards->need(1);
  CHECK(is_there("1.bias", 1, 1));
  CHECK(is_there("0.weight", 0, 0));
  shards->need(2);
  CHECK(is_there("2.weight", 2, 0));
  CHECK(!pieces[0].present);
  shards->need(0);
  CHECK(is_there("0.weight", 0, 0));

  CHECK(shards->missing().empty());
  for (const std::size_t i : {2U, 1U, 0U}) {
    for (std::size_t k = 0; k < 2; ++k) {
      pieces[i].leaves[k].set_grad(full(pieces[i].leaves[k].shape(), static_cast<float>(i + 1)));
      if (i == 0 && k == 1) CHECK(shards->missing() == std::vector<std::string>{"0.bias"});
      shards->set_ready(i, k);
      if (i == 1 && k == 0) CHECK_SAYS("a second gradient of 1.weight", shards->set_ready(1, 0));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(pieces[i].shard.grad().at(0) == static_cast<float>(i + 1));
    CHECK(pieces[i].shard.grad().at(127) == 0);
    CHECK(!pieces[i].leaves[0].has_grad());
  }
}

TEST_CASE("a checkpoint has the parameters' names and shapes") {
  nn::Sequential net{nn::Linear<>(5, 2), dist::Unit{nn::Linear<>(2, 3)}};
  const StateDict before = nn::state_dict(nn::clone(net));
  const auto shards = std::make_shared<dist::Shards<float, Cpu>>(dist::Group(), Cpu{});
  shards->build(dist::detail::pieces_of<float, Cpu>("test", net, true, 100));
  const StateDict found = dist::detail::whole_state(*shards, net, true);
  for (const auto& [name, x] : before)
    CHECK(equal(found.get<float>(name), before.get<float>(name)));
  CHECK(dist::detail::whole_state(*shards, net, false).empty());
  StateDict wrong = found;
  wrong.set("0.bias", zeros({3}));
  CHECK_SAYS("'0.bias' of shape (3,) for (2,)",
             dist::detail::load_whole_state(*shards, net, wrong));

  optim::SGD mine({shards->pieces()[0].shard, shards->pieces()[1].shard}, {.momentum = 0.9});
  for (const auto& p : shards->pieces()) p.shard.set_grad(full({p.part}, 2.0F));
  mine.step();
  StateDict state = dist::detail::optimizer_state(*shards, mine);
  CHECK(state.at("state.1.weight.momentum_buffer").shape() == Shape{3, 2});
  dist::detail::load_optimizer_state(*shards, mine, state);
  state.set("state.1.weight.momentum_buffer", zeros({3}));
  CHECK_SAYS("1.weight has momentum_buffer of shape (3,)",
             dist::detail::load_optimizer_state(*shards, mine, state));
  const optim::SGD other({parameter(ones({3}))}, {.momentum = 0.9});
  CHECK_SAYS("expected the state of an optimizer of this model's parameters()",
             dist::detail::optimizer_state(*shards, other));
}
