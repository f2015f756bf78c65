#include "weft/optim/adam.hpp"

#include "steps.hpp"

using namespace weft;
using test::compare;

TEST_CASE_TEMPLATE("Adam and AdamW are PyTorch's", D, TEST_DEVICES) {
  compare<D, optim::Adam>("adam", optim::AdamOptions{.lr = 0.01, .weight_decay = 0.01});
  compare<D, optim::AdamW>("adamw", optim::AdamWOptions{.lr = 0.01, .weight_decay = 0.1});
  compare<D, optim::AMSGrad>("amsgrad", optim::AdamOptions{.lr = 0.01, .weight_decay = 0.01});
  compare<D, optim::AMSGradW>("amsgradw", optim::AdamWOptions{.lr = 0.01, .weight_decay = 0.1});
}
