#include "weft/optim/adam_family.hpp"

#include "steps.hpp"

using namespace weft;
using test::compare;

TEST_CASE_TEMPLATE("Adamax, NAdam and RAdam are PyTorch's", D, TEST_DEVICES) {
  compare<D, optim::Adamax>("adamax", optim::AdamaxOptions{.lr = 0.02, .weight_decay = 0.01});
  compare<D, optim::NAdam>("nadam", optim::NAdamOptions{.lr = 0.01, .weight_decay = 0.01});
  compare<D, optim::RAdam>(
      "radam", optim::RAdamOptions{.lr = 0.02, .beta1 = 0.8, .beta2 = 0.9, .weight_decay = 0.01});
}

TEST_CASE("what NAdam keeps for all parameters is in its state dict") {
  const Var x = parameter(ones({2}));
  optim::NAdam optimizer(std::vector{x});
  CHECK(optimizer.state_dict().get<float>("groups.0.mu_product").item() == 1);
  x.set_grad(ones({2}));
  optimizer.step();
  const double mu = 0.9 * (1 - 0.5 * std::pow(0.96, 0.004));
  CHECK(optimizer.state_dict().get<float>("groups.0.mu_product").item() == doctest::Approx(mu));
}
