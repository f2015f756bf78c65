#include "weft/nn/layers/gated.hpp"

#include "sequence.hpp"

using namespace weft;

static_assert(nn::Module<nn::PReLU<>> && nn::Module<nn::GLU> && nn::Module<nn::SwiGLU<>>);
using test::matches;
using test::sequence_input;

namespace {
template <class D, class M>
void check(const M& layer, const std::string& name) {
  const Var x = sequence_input<D>(name + ".x0");
  const Var y = layer(x);
  CHECK(matches<D>(y.detach(), name + ".y0"));
  test::weighted(y).backward();
  CHECK(matches<D>(x.grad(), name + ".dx0"));
}
}  // namespace

TEST_CASE_TEMPLATE("PReLU and GLU are PyTorch's", D, TEST_DEVICES) {
  nn::PReLU<D, double> one;
  nn::load_state_dict(one, test::sequence().under("prelu.one.before."));
  check<D>(one, "prelu.one");
  CHECK(test::gradients_match<D>(one, "prelu.one"));
  nn::PReLU<D, double> each(4);
  nn::load_state_dict(each, test::sequence().under("prelu.each.before."));
  check<D>(each, "prelu.each");
  CHECK(test::gradients_match<D>(each, "prelu.each"));
  check<D>(nn::GLU{1}, "glu");
  CHECK_SAYS("for 4 channels", each(Var(test::numbers<D>({2, 3}))));
  CHECK_SAYS("an even size of axis -1", nn::GLU{}(Var(test::numbers<D>({2, 3}))));
}

TEST_CASE_TEMPLATE("SwiGLU is its formula", D, TEST_DEVICES) {
  const nn::SwiGLU<D, double> net(4, 6);
  const Var x = parameter(test::numbers<D>({2, 3, 4}));
  const Var gate = linear(x, net.gate_proj.weight);
  const Var expected =
      linear(Var(gate * sigmoid(gate) * linear(x, net.up_proj.weight)), net.down_proj.weight);
  CHECK(allclose(net(x).detach(), expected.detach(), {1e-12, 1e-12}));
  CHECK(gradcheck([&](const auto& v) { return net(v); }, x));
}
