#include "weft/optim/asgd.hpp"

#include "steps.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("ASGD is PyTorch's", D, TEST_DEVICES) {
  const optim::ASGDOptions options{
      .lr = 0.2, .lambd = 0.01, .alpha = 0.6, .t0 = 10, .weight_decay = 0.01};
  test::compare<D, optim::ASGD>("asgd", options);
  auto net = test::network<D>();
  nn::load_state_dict(net, test::pytorch().under("train.model."));
  optim::ASGD optimizer(nn::parameters(net), options);
  test::train<D>("asgd", net, optimizer, 0, 50);
  const auto average = optimizer.state_dict().template get<float, D>("state.2.ax");
  CHECK(allclose(average, test::pytorch<float, D>("train.asgd.ax"), {1e-3, 1e-4}));
}
