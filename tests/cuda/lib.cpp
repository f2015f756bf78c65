// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB_BUILD  // what the library holds is defined here: statements run through it
#include <weft/cuda.hpp>
#include <weft/cuda/lib.hpp>
#undef WEFT_LIB_BUILD

#include "test.hpp"

namespace weft {}  // namespace weft

TEST_CASE("[gpu] statements through what weft::lib_cuda holds") {
  using namespace weft;
  const auto x = arange<float>(6, Cuda{});
  Tensor<float, Cuda> y = x * 2.0F + 1.0F;
  y = y - x;
  y(slice(0, 3)) = x(slice(0, 3));
  CHECK(y.to(Cpu{}).to_vector() == std::vector<float>{0, 1, 2, 4, 5, 6});
}
