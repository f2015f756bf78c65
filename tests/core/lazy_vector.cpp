// SPDX-License-Identifier: Apache-2.0
#include <weft/core/lazy_vector.hpp>

#include "test.hpp"

TEST_CASE("a lazy vector is a plain one") {
  static_assert(std::is_same_v<weft::detail::lazy_vector<float, double>, std::vector<double>>);
  const weft::detail::lazy_vector<float, int> v{1, 2};
  CHECK(v.size() == 2);
}
