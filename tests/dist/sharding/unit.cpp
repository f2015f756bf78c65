#include "weft/dist/sharding/unit.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/nn/layers/activations.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

namespace {
struct Counter final : dist::detail::UnitHooks {
  const autograd::Variable* mine = nullptr;
  int forward = 0;
  int backward = 0;
  bool owns(const autograd::Variable* parameter) const override { return parameter == mine; }
  void before_forward() override { ++forward; }
  void before_backward() override { ++backward; }
};
}  // namespace

TEST_CASE("a Unit is the module, and calls hooks before each pass") {
  dist::Unit unit{nn::Linear<>(3, 2)};
  CHECK(nn::state_dict(unit).contains("weight"));
  const Var<float> x = ones({4, 3});
  CHECK(equal(unit(x).value(), static_cast<const nn::Linear<>&>(unit)(x).value()));
  const auto counter = std::make_shared<Counter>();
  counter->mine = unit.weight.variable().get();
  unit.attach(counter);
  const auto same = unit;  // a handle to the same parameters
  const auto other = nn::clone(unit);
  Var(sum(same(x) + unit(x))).backward();
  CHECK(counter->forward == 2);
  CHECK(counter->backward == 2);
  Var(sum(other(x))).backward();
  CHECK(counter->forward == 2);
}

TEST_CASE("pieces of a module") {
  nn::Sequential net{nn::Linear<>(3, 3), dist::Unit{nn::Linear<>(3, 3)}, dist::Unit{nn::ReLU{}},
                     nn::Linear<>(3, 3)};
  const auto pieces = dist::detail::pieces_of<float, Cpu>("test", net, true, 9 * 4);
  REQUIRE(pieces.size() == 5);  // the Unit with parameters, then buckets of at most 9 elements
  CHECK(pieces[0].names == std::vector<std::string>{"1.weight", "1.bias"});
  CHECK(!pieces[0].stays);
  CHECK(pieces[1].names == std::vector<std::string>{"0.weight"});
  CHECK(pieces[1].stays);
  const auto handles = nn::parameters(net);
  CHECK_SAYS("[test] 0.weight has 2 handles, expected 1 in the module alone",
             dist::detail::pieces_of<float, Cpu>("test", net, true, 100));
  dist::Unit nested{nn::Sequential{dist::Unit{nn::Linear<>(2, 2)}}};
  CHECK_SAYS("is in two Units", dist::detail::pieces_of<float, Cpu>("test", nested, true, 100));
}
