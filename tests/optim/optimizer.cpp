#include "weft/optim/optimizer.hpp"

#include "gradients.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

TEST_CASE("an optimizer refuses what does not fit") {
  nn::Linear small(2, 1);
  nn::Linear large(3, 1);
  optim::Adam a(nn::parameters(small));
  optim::Adam b(nn::parameters(large));
  CHECK_SAYS("'state.0.exp_avg' is float32 of shape (1, 3), expected float32 of shape (1, 2)",
             a.load_state_dict(b.state_dict()));
  optim::SGD s(nn::parameters(small), {.momentum = 0.9});
  CHECK_SAYS("Adam finds no 'state.0.exp_avg'", a.load_state_dict(s.state_dict()));
  StateDict more = a.state_dict();
  more.add("other", ones({1}));
  CHECK_SAYS("7 tensors, expected 6", a.load_state_dict(more));
  CHECK_SAYS("lr -1", a.set_lr(-1));
  CHECK_SAYS("beta1 1", optim::Adam(nn::parameters(small), {.beta1 = 1}));
  CHECK_SAYS("nesterov", optim::SGD(nn::parameters(small), {.nesterov = true}));
  CHECK_SAYS("no parameters", optim::SGD(std::vector<Var<float>>{}));
}

TEST_CASE_TEMPLATE("a parameter without a gradient stays", D, TEST_DEVICES) {
  const Var x = parameter(ones({2}, D{}));
  const Var y = parameter(ones({2}, D{}));
  optim::SGD optimizer(std::vector{x, y}, {.lr = 0.5, .maximize = true});
  x.set_grad(ones({2}, D{}));
  optimizer.step();
  CHECK(all(x.detach() == 1.5F).item());
  CHECK(all(y.detach() == 1.0F).item());
  optimizer.zero_grad();
  CHECK(!x.has_grad());
}
