// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/weight.hpp>

#include "test.hpp"

using namespace weft;
using namespace weft::detail;

TEST_CASE("a program weighs its operations and loads; what reads no operand weighs nothing") {
  using X = Arg<1, float>;
  using Sum = Apply<op::add, X, Arg<2, float>>;
  static_assert(program_weight<X> == load_weight);
  static_assert(program_weight<Sum> == 1 + 2 * load_weight);
  static_assert(program_weight<Apply<op::exp, Sum>> == 8 + 1 + 2 * load_weight);
  static_assert(program_weight<Apply<op::relu, Sum>> == 1 + 1 + 2 * load_weight);
  static_assert(program_weight<Apply<op::exp, Constant<float>>> == 0);
  static_assert(op_weight<op::cast<double>> == 1);
  static_assert(op_weight<op::pow> == 8);
}
