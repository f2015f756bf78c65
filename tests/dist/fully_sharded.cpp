#include "weft/dist/fully_sharded.hpp"

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
