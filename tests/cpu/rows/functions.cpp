// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/functions.hpp>

#include "test.hpp"

using namespace weft;
using namespace weft::cpu::detail;

TEST_CASE("which loops are better one run for all rows") {
  using X = Arg<1, float>;
  using Mean = Reduced<0, float>;
  using Floats = Pack<cpu::Elements<float>>;
  static_assert(flat_rows<Apply<op::sub, X, Mean>, Floats, float> == Flat::arithmetic);
  static_assert(flat_rows<Apply<op::exp, Apply<op::sub, X, Mean>>, Floats, float> ==
                Flat::functions);
  static_assert(flat_rows<Apply<op::mul, X, Apply<op::rsqrt, Mean>>, Floats, float> ==
                Flat::once_a_row);
  static_assert(flat_rows<Apply<op::sub, X, Mean>, Pack<cpu::Elements<weft::half>>, float> ==
                Flat::staged);
  static_assert(flat_rows<Apply<op::sub, X, Mean>, Floats, weft::half> == Flat::staged);
  static_assert(flat_rows<weft::detail::Reused<float>, Floats, float> == Flat::arithmetic);
}

TEST_CASE("operands of a row are the same where they lie the same") {
  weft::detail::RowTask task;
  task.mode[0] = weft::detail::RowMode::compute;
  task.mode[1] = weft::detail::RowMode::same;
  task.same[1] = 0;
  float x[4] = {};
  weft::detail::Operand operands[2];
  for (auto& operand : operands) {
    operand.data = reinterpret_cast<char*>(x);
    operand.itemsize = sizeof(float);
    operand.stride[0] = 1;
  }
  const SameInRow row{task, operands, 1, operands, 0, 0};
  CHECK(row.same_operand(0, 1));
  operands[1].stride[0] = 2;
  CHECK(!row.same_operand(0, 1));
  CHECK(row.number(1) == 0);
  CHECK(row.computes(0));
  CHECK(!row.computes(1));
}
