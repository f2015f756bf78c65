#include "weft/dist/shards_state.hpp"

#include "test.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

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
