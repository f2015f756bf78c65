// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/table.hpp>

#include "test.hpp"

// A user's operations: one line each.
// clang-format off
WEFT_UNARY(test_softsign, Floating, x / (T(1) + math::abs(x)), T(1) / math::square(T(1) + math::abs(x)))
WEFT_BINARY(test_mix,     Numeric,  T(2) * x - y,              T(2), T(-1))
WEFT_TERNARY(test_pick,   Real,     x > y ? z : y,             none, none, none)
// clang-format on

static_assert(weft::op::test_mix::derivative<1>(1.0, 2.0, 0.0) == -1);
static_assert(weft::op::test_softsign::arity == 1 && weft::op::test_pick::arity == 3);

TEST_CASE("an operation is a value") {
  CHECK(weft::op::test_softsign::value(3.0) == 0.75);
  CHECK(weft::op::test_softsign::derivative<0>(1.0, 0.5) == 0.25);
}

TEST_CASE_TEMPLATE("an operation of one line runs, fuses and broadcasts", D, TEST_DEVICES) {
  const auto x = weft::tensor({-3.F, 0.F, 1.F}, D{});
  CHECK(test_softsign(x * 1).eval().to_vector() == std::vector<float>{-0.75F, 0, 0.5F});
  CHECK(test_mix(x, 1).eval().to_vector() == std::vector<float>{-7, -1, 1});
  CHECK(test_mix(1, x).eval().to_vector() == std::vector<float>{5, 2, 1});
  CHECK(test_pick(x, -1, 9).eval().to_vector() == std::vector<float>{-1, 9, 9});
  CHECK_SAYS("[test_mix] shapes do not broadcast: (3,) and (2,)",
             test_mix(x, x(weft::slice(0, 2))));
}
