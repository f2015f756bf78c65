// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/kernel.hpp>

#include "test.hpp"

using namespace weft;
using weft::detail::TypeList;

TEST_CASE("the loops of x / sum(x), run by hand") {
  using Sum = RowReduction<reducer::sum, Arg<1, float>, float>;
  using Output = Apply<op::div, Arg<1, float>, Reduced<0, float>>;
  using Program = RowProgram<Pack<Sum>, Pack<Output>>;
  using Kernel = cpu::detail::RowFunctionTable<TypeList<float>, TypeList<float>, Program>;
  static_assert(Kernel::outputs == 1 && Kernel::leaves == 1 && Kernel::reductions == 1);

  const Program program{make_pack(Sum{}), make_pack(Output{})};
  float x[] = {1, 2, 3, 2, 5, 5};
  float out[6] = {};
  float sums[2] = {};
  char* const at[] = {reinterpret_cast<char*>(out), reinterpret_cast<char*>(x),
                      reinterpret_cast<char*>(sums)};
  const std::int64_t step[] = {1, 1, 0};
  const std::int64_t skip[] = {12, 12, 4};

  const auto loops = Kernel::loops();
  CHECK((loops.shares == nullptr));
  const auto& reduce = *loops.reduce[0];
  CHECK(reduce.uses == 0b10);
  CHECK((reduce.values == nullptr));
  CHECK(reduce.in_place == 1);
  reduce.run->rows(reduce.reducer(&program), at[1], 12, 2, 3, at[2], 4);
  CHECK(sums[0] == 6);
  CHECK(sums[1] == 12);

  const auto& output = *loops.output[0];
  CHECK(output.uses == 0b110);
  CHECK((output.kept == nullptr));
  output.store(&program, at, step, skip, 2, 3, at[0], 12, nullptr);
  CHECK(out[0] == 1.F / 6);
  CHECK(out[2] == 3.F / 6);
  CHECK(out[3] == 2.F / 12);
  CHECK(out[5] == 5.F / 12);
}

TEST_CASE("what the last reduction is of is kept for the output that reads it") {
  using Exp = Apply<op::exp, Arg<1, float>>;
  using Again = Apply<op::exp, Arg<2, float>>;
  using Sum = RowReduction<reducer::sum, Exp, float>;
  using Program = RowProgram<Pack<Sum>, Pack<Apply<op::div, Again, Reduced<0, float>>>>;
  using Kernel = cpu::detail::RowFunctionTable<TypeList<float>, TypeList<float, float>, Program>;
  const Program program{};
  const auto loops = Kernel::loops();
  const auto& output = *loops.output[0];
  CHECK(output.uses == 0b1100);
  CHECK(output.kept_uses == 0b1000);

  detail::RowTask task;
  task.mode[0] = detail::RowMode::compute;
  float x[3] = {0, 1, 2};
  float y[3] = {5, 6, 7};
  detail::Operand operands[4];
  for (auto& operand : operands) {
    operand.data = reinterpret_cast<char*>(x);
    operand.itemsize = 4;
    operand.stride[0] = 1;
  }
  const cpu::detail::SameInRow row{task, operands, 1, operands, 0, 1};
  CHECK(loops.shares(&program, row));
  operands[2].data = reinterpret_cast<char*>(y);
  CHECK(!loops.shares(&program, row));

  float kept[3] = {1, 3, 4};
  float sum = 8;
  float out[3] = {};
  char* const at[] = {reinterpret_cast<char*>(out), reinterpret_cast<char*>(x),
                      reinterpret_cast<char*>(y), reinterpret_cast<char*>(&sum)};
  const std::int64_t step[] = {1, 1, 1, 0};
  const std::int64_t skip[] = {0, 0, 0, 0};
  output.kept(&program, at, step, skip, 1, 3, at[0], 0, reinterpret_cast<const char*>(kept));
  CHECK(out[1] == 3.F / 8);
  CHECK(out[2] == 0.5F);
}
