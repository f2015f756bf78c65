#include "weft/optim/optimizer_like.hpp"

#include "test.hpp"
#include "weft/optim/lbfgs.hpp"
#include "weft/optim/sgd.hpp"

using namespace weft;

static_assert(optim::OptimizerLike<optim::SGD<double, Cpu>>);
static_assert(optim::OptimizerLike<optim::LBFGS<bfloat16, Cpu>>);
static_assert(!optim::OptimizerLike<Tensor<float>>);

TEST_CASE("an optimizer has groups with rates") {
  optim::LBFGS optimizer(std::vector{parameter(ones({2}))}, {.lr = 0.5});
  CHECK(optimizer.groups().size() == 1);
  CHECK(optimizer.lr(0) == 0.5);
  optimizer.set_lr(0.25, 0);
  CHECK(optimizer.lr() == 0.25);
  CHECK_SAYS("[LBFGS] group 1 of 1", optimizer.set_lr(1, 1));
  CHECK_SAYS("[LBFGS] lr -1", optimizer.set_lr(-1));
}
