#include "weft/autograd/expression/caster.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE("a function that a guard's file lacks is named") {
  CHECK(autograd::caster<float, Cpu>() == nullptr);
  CHECK(autograd::caster<double, Cpu>() == nullptr);
  int (*missing)() = nullptr;
  CHECK_SAYS(
      "[Autocast] the file that makes the guard does not include <weft/cuda/conv.hpp>, which "
      "conv2d needs",
      autograd::needed(missing, "conv2d", "weft/cuda/conv.hpp"));
}
