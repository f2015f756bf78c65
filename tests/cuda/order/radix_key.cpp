// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/order/radix_key.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"

using weft::cuda::is_exact;
using weft::cuda::radix_element;
using weft::cuda::radix_key;

namespace {
template <class T>
void check(const std::vector<T>& ascending) {
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const auto key = radix_key(ascending[i]);
    if (i > 0) CHECK(radix_key(ascending[i - 1]) < key);
    if (is_exact<T>(key)) CHECK(radix_element<T>(key) == ascending[i]);
  }
}
}  // namespace

TEST_CASE("keys have the elements' order and give them back") {
  check<bool>({false, true});
  check<std::int8_t>({-128, -1, 0, 1, 127});
  check<std::uint16_t>({0, 1, 65535});
  check<std::int64_t>({INT64_MIN, -1, 0, 1, INT64_MAX});
  check<float>({-INFINITY, -3e38F, -1, -1e-45F, 0, 1e-45F, 1, 3e38F, INFINITY});
  check<double>({-INFINITY, -1, -5e-324, 0, 5e-324, 1, INFINITY});
  check<weft::half>({weft::half(-2.F), weft::half(0.F), weft::half(1.F), weft::half(INFINITY)});
}

TEST_CASE("NaNs and zeros share a key") {
  const float nan = std::nanf("");
  CHECK(radix_key(nan) == radix_key(-nan));
  CHECK(radix_key(nan) > radix_key(INFINITY));
  CHECK(radix_key(0.0) == radix_key(-0.0));
  CHECK_FALSE(is_exact<float>(radix_key(nan)));
  CHECK_FALSE(is_exact<double>(radix_key(-0.0)));
  CHECK(is_exact<int>(radix_key(0)));
}
