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
