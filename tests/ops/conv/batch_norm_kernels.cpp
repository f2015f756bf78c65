#include "weft/ops/conv/batch_norm_kernels.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a device says by a specialisation that it has kernels for batch norm") {
  constexpr bool on_cpu = requires { sizeof(BatchNormKernels<Cpu>); };
  CHECK(!on_cpu);
  const BatchNumbers<float, Cpu> none;
  CHECK(none.mean.size() == 0);
}
