#include "weft/dist/sharding/sharded.hpp"

#include "test.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

TEST_CASE("alone it is the optimizer") {
  nn::Sequential net{nn::Linear(3, 5), nn::Linear(5, 2)};
  auto other = nn::clone(net);
  auto mine = dist::sharded<optim::Adam>(net, dist::Group(), {.lr = 0.1});
  optim::Adam whole(nn::parameters(other), {.lr = 0.1});
  for (int i = 0; i < 3; ++i) {
    const Var<float> x = randn({4, 3});
    mine.zero_grad();
    whole.zero_grad();
    Var(sum(square(net(x)))).backward();
    Var(sum(square(other(x)))).backward();
    mine.step();
    whole.step();
  }
  const auto a = nn::parameters(net), b = nn::parameters(other);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(allclose(a[i].value(), b[i].value()));
  CHECK(mine.inner().steps() == 3);
  CHECK(mine.state_dict().get<float>("state.exp_avg").size() == 4 * 64);
  StateDict wrong = mine.state_dict();
  wrong.set("state.exp_avg", zeros({3}));
  CHECK_SAYS("'state.exp_avg' has 3 elements, expected 256", mine.load_state_dict(wrong));
  CHECK_SAYS("expected nn::flatten_parameters(net) first",
             dist::Sharded<optim::Adam, float, Cpu>({parameter(ones({3}))}, dist::Group(), {}));
}
