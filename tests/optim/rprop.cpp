#include "weft/optim/rprop.hpp"

#include "steps.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("Rprop is PyTorch's", D, TEST_DEVICES) {
  test::compare<D, optim::Rprop>(
      "rprop",
      optim::RpropOptions{
          .lr = 0.002, .eta_minus = 0.4, .eta_plus = 1.3, .step_min = 1e-5, .step_max = 0.1});
  const std::vector x{parameter(ones({1}, D{}))};
  CHECK_SAYS("[Rprop] eta_minus 1 and", optim::Rprop(x, {.eta_minus = 1}));
  CHECK_SAYS("[Rprop] steps from 2 to 1", optim::Rprop(x, {.step_min = 2, .step_max = 1}));
}
