#include "weft/optim/adaptive.hpp"

#include "steps.hpp"

using namespace weft;
using test::compare;

TEST_CASE_TEMPLATE("RMSprop, Adagrad and Adadelta are PyTorch's", D, TEST_DEVICES) {
  compare<D, optim::RMSprop>("rmsprop", optim::RMSpropOptions{.lr = 0.002});
  compare<D, optim::RMSprop>(
      "centered",
      optim::RMSpropOptions{.lr = 0.002, .weight_decay = 0.01, .momentum = 0.5, .centered = true});
  compare<D, optim::Adagrad>(
      "adagrad", optim::AdagradOptions{.lr = 0.05, .lr_decay = 0.01, .weight_decay = 0.01});
  compare<D, optim::Adadelta>("adadelta",
                              optim::AdadeltaOptions{.lr = 0.7, .rho = 0.8, .weight_decay = 0.01});
}
