// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/walk.hpp>

#include "test.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::detail::TypeList;

TEST_CASE("a long row is walked in runs, and a turned operand's are brought to unit stride") {
  using Sum = RowReduction<reducer::sum, Arg<1, float>, float>;
  using Program = RowProgram<Pack<Sum>, Pack<Apply<op::div, Arg<1, float>, Reduced<0, float>>>>;
  using Kernel = cpu::detail::RowFunctionTable<TypeList<float>, TypeList<float>, Program>;
  static constexpr cpu::detail::RowFunctions loops = Kernel::loops();
  const Program program{};
  const auto x = arange<float>(10000.F);
  const auto z = zeros({2500});
  detail::RowTask task;
  task.mode[0] = detail::RowMode::compute;
  task.along_row[0] = true;
  detail::Loops outer;
  outer.rank = 1;
  outer.size[0] = 1;
  detail::Loops inner;
  inner.rank = 1;
  inner.size[0] = 2500;
  detail::Operand operands[3];
  detail::Operand inside[3];
  operands[0].data = inside[0].data = reinterpret_cast<char*>(z.data());
  operands[1].data = inside[1].data = reinterpret_cast<char*>(x.data());
  for (int i = 0; i < 3; ++i) {
    operands[i].itemsize = inside[i].itemsize = sizeof(float);
    operands[i].stride[0] = 0;
    inside[i].stride[0] = i == 0 ? 1 : i == 1 ? 4 : 0;
  }
  const cpu::detail::RowScratch walk{loops, task, &program, outer, operands, inner, inside};
  CHECK(walk.count() == 3);
  CHECK(walk.value(0) == 2);
  std::int64_t next = 0;
  double sum = 0;
  walk.with_memory([&](auto& memory, cpu::Block& block) {
    walk.walk(memory, block, [&](std::int64_t start, std::int64_t position, std::int64_t m) {
      CHECK(start == next);
      CHECK(position == next);
      CHECK(m <= cpu::block_size);
      std::int64_t pitch = 0;
      const auto* values = reinterpret_cast<const float*>(
          walk.values_of(memory, block, 0, start, position, m, 1, pitch));
      for (std::int64_t i = 0; i < m; ++i) sum += values[i];
      next += m;
    });
  });
  CHECK(next == 2500);
  CHECK(sum == 4. * 2500 * 2499 / 2);
}
