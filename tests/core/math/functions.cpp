// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/functions.hpp>

#include "test.hpp"

TEST_CASE("one header brings every scalar function, for real and complex numbers and integers") {
  using namespace weft;
  CHECK(math::exp(0.0F) == 1);
  CHECK(math::exp(complex<float>(0)) == 1.0F);
  CHECK(math::add(1, 2) == 3);
  CHECK(math::sigmoid(0.0) == 0.5);
  CHECK(math::lgamma(1.0) == 0);
  CHECK(math::convert<int>(1.5) == 1);
}
