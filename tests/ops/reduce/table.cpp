// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/reduce/table.hpp>

#include "test.hpp"
#include "weft/autograd.hpp"
#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#endif

// clang-format off
WEFT_REDUCTION(sum_of_squares, Floating, T, x * x, 0, a + b, 2 * x)
WEFT_REDUCTION(parity, Any, bool, x != C(0), false, a != b, none)
// clang-format on

static_assert(weft::ReductionRule<weft::reducer::sum_of_squares>);
static_assert(weft::autograd::DerivesByElement<weft::reducer::sum_of_squares>);
static_assert(weft::autograd::DerivesByElement<weft::reducer::mean>);
static_assert(!weft::autograd::DerivesByElement<weft::reducer::prod>);
static_assert(!weft::autograd::DerivesByElement<weft::reducer::parity>);

TEST_CASE_TEMPLATE("a reduction of one line: axes, fused operands, its identity and its gradient",
                   D, TEST_DEVICES) {
  const auto x = weft::tensor({{1.0F, 2.0F, 3.0F}, {-1.0F, 0.0F, 4.0F}}).to(D{});
  CHECK(sum_of_squares(x).item() == 31);
  CHECK(equal(sum_of_squares(x + 1, weft::axis(1)).eval().to(weft::Cpu{}),
              weft::tensor({29.0F, 26.0F})));
  CHECK(equal(sum_of_squares(x, weft::axis(0), weft::keepdims).eval().to(weft::Cpu{}),
              weft::tensor({{2.0F, 4.0F, 25.0F}})));
  CHECK(sum_of_squares(x.narrow(0, 0, 0)).item() == 0);
  CHECK(parity(x).item());
  CHECK(doctest::String(sum_of_squares(x).text) == "sum_of_squares");
  weft::Var<float, D> w = weft::parameter(x.clone());
  weft::Var<float, D> y = sum_of_squares(w * 3);
  y.backward();
  CHECK(equal(w.grad().to(weft::Cpu{}), (x * 18).eval().to(weft::Cpu{})));
}
