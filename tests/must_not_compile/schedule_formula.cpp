// expect: weft: a Schedule takes a function of the step and of the optimizer's rate
#include <weft/optim.hpp>

using namespace weft;

void f(optim::SGD<>& sgd) {
  optim::Schedule schedule(sgd, [](int64_t step) { return 0.1 / static_cast<double>(step + 1); });
}
