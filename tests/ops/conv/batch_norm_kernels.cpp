#include "weft/ops/conv/batch_norm_kernels.hpp"

#include "test.hpp"

using namespace weft;

template <class D>
constexpr bool has_kernels = requires {
  sizeof(BatchNormKernels<D>);
};

TEST_CASE("a device says by a specialisation that it has kernels for batch norm") {
  struct OtherDevice {};
  CHECK(!has_kernels<OtherDevice>);
  const BatchNumbers<float, Cpu> numbers;
  CHECK(numbers.mean.size() == 0);
}
