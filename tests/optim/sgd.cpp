#include "weft/optim/sgd.hpp"

#include "steps.hpp"

using namespace weft;
using test::compare;

TEST_CASE_TEMPLATE("SGD is PyTorch's", D, TEST_DEVICES) {
  compare<D, optim::SGD>("sgd", optim::SGDOptions{.lr = 0.1});
  compare<D, optim::SGD>(
      "momentum",
      optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.2, .weight_decay = 0.01});
  compare<D, optim::SGD>("nesterov",
                         optim::SGDOptions{.lr = 0.05, .momentum = 0.9, .nesterov = true});
  compare<D, optim::SGD>("clipped", optim::SGDOptions{.lr = 0.5}, 0.3);
}

TEST_CASE("a learning rate alone stands for the options") {
  const Var<float> w(tensor({1.F, 2.F}), true);
  const optim::SGD one({w}, 0.5);
  const optim::SGD two(std::vector{w}, 2);
  CHECK(one.lr() == 0.5);
  CHECK(two.lr() == 2);
  CHECK(optim::SGD({w}, {.lr = 0.25}).lr() == 0.25);
  CHECK(optim::SGD(std::vector{w}, {}).lr() == optim::SGDOptions{}.lr);
  CHECK_THROWS_AS(optim::SGD({w}, -1.0), ValueError);
}

TEST_CASE("an optimizer is a member without naming its element type and device") {
  struct Trainer {
    Var<float> w = parameter(tensor({1.F, 2.F}));
    optim::SGD<> optimizer{std::vector{w}, {.lr = 0.5}};
  };
  const Trainer trainer;
  CHECK(trainer.optimizer.lr() == 0.5);
}

TEST_CASE("a frozen parameter stays as it is") {
  const Var<float> w(tensor({1.F, 2.F}), true);
  Var<float> constant(tensor({3.F, 4.F}), true);
  constant.requires_grad(false);
  optim::SGD optimizer({constant, w}, {.lr = 0.5, .momentum = 0.9});
  Var(sum(w * constant)).backward();
  optimizer.step();
  CHECK(w.to_vector() == std::vector{-0.5F, 0.F});
  CHECK(constant.to_vector() == std::vector{3.F, 4.F});
}
