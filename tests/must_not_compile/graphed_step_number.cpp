// expect: the arguments of a GraphedStep are tensors
#include <weft/optim.hpp>

using namespace weft;

void f() {
  optim::GraphedStep step(Cpu{}, [](const auto& x) { return sum(x); });
  step(1.0F);
}
