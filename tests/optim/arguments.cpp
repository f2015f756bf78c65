#include "weft/optim/arguments.hpp"

#include <memory>

#include "test.hpp"
#include "weft/optim.hpp"

using namespace weft;

namespace {

template <template <class, class> class O, class Options>
void takes(double lr) {
  const Var<float> w(tensor({1.F, 2.F}), true);
  const Var<float> b(tensor({3.F}), true);
  const std::vector both{w, b};
  CHECK(O(both).lr() == lr);
  CHECK(O({w, b}).lr() == lr);
  CHECK(O({w}).parameters().size() == 1);
  CHECK(O(std::vector{w}, {}).lr() == lr);
  CHECK(O(both, {.lr = 0.25}).lr() == 0.25);
  CHECK(O({w}, {.lr = 0.25}).lr() == 0.25);
  CHECK(O(both, 0.5).lr() == 0.5);
  CHECK(O({w, b}, 0.5F).lr() == 0.5);
  CHECK(O(both, 2).lr() == 2);
  CHECK(O<float, Cpu>({w, b}, 2).parameters().size() == 2);
  const O first(both, Options{.lr = 0.75});
  CHECK(O(first).lr() == 0.75);
  const O moved = O(both);
  CHECK(moved.lr() == lr);
  const Options options{.lr = 0.125};
  CHECK(std::make_unique<O<float, Cpu>>(both, options)->lr() == 0.125);
  CHECK(both.size() == 2);
  CHECK_THROWS_AS(O({w}, -1.0), ValueError);
}

}  // namespace

TEST_CASE("each optimizer takes its parameters and options in all spellings") {
  takes<optim::SGD, optim::SGDOptions>(1e-3);
  takes<optim::Adam, optim::AdamOptions>(1e-3);
  takes<optim::AdamW, optim::AdamWOptions>(1e-3);
  takes<optim::AMSGrad, optim::AdamOptions>(1e-3);
  takes<optim::AMSGradW, optim::AdamWOptions>(1e-3);
  takes<optim::Adamax, optim::AdamaxOptions>(2e-3);
  takes<optim::NAdam, optim::NAdamOptions>(2e-3);
  takes<optim::RAdam, optim::RAdamOptions>(1e-3);
  takes<optim::RMSprop, optim::RMSpropOptions>(1e-2);
  takes<optim::Adagrad, optim::AdagradOptions>(1e-2);
  takes<optim::Adadelta, optim::AdadeltaOptions>(1);
  takes<optim::ASGD, optim::ASGDOptions>(1e-2);
  takes<optim::Rprop, optim::RpropOptions>(1e-2);
  takes<optim::LBFGS, optim::LBFGSOptions>(1);
}
