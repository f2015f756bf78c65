// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/incomplete.hpp>

#include "test.hpp"

// What they say is tested by tests/mistakes.txt; here, that complete calls do not mean them.
TEST_CASE("complete calls are the functions themselves") {
  using namespace weft;
  const auto x = tensor({{3.0F, 1}, {2, 4}});
  CHECK(topk(x, 1).values.to_vector() == std::vector<float>{3, 4});
  CHECK(einsum("ij->ji", x)(0, 1).item() == 2);
  CHECK(cast<int>(x).to_vector() == std::vector<int>{3, 1, 2, 4});
  CHECK(linspace(0, 1, 2).to_vector() == std::vector<float>{0, 1});
}
