// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/elements.hpp>

#include "test.hpp"

using weft::IndexOperand;
using weft::detail::TypeList;

TEST_CASE("a program reads operands in memory and positions") {
  using Operands = weft::cpu::OperandElements<TypeList<float, IndexOperand, weft::half>>;
  static_assert(!Operands::computed[0] && Operands::computed[1] && !Operands::computed[2]);
  float x[] = {1, 2, 3, 4};
  weft::half y[] = {weft::half(5), weft::half(6), weft::half(7), weft::half(8)};
  char* const at[] = {reinterpret_cast<char*>(x),
                      reinterpret_cast<char*>(IndexOperand::origin + 100),
                      reinterpret_cast<char*>(y)};
  const std::int64_t step[] = {1, -3, 1};
  const auto operands = Operands::at(at, step);
  const weft::cpu::ElementAt<1, Operands::type> second{operands, 1};
  CHECK(second.get<1>() == 2.F);
  CHECK(second.get<2>() == 97);
  CHECK(second.get<3>() == 6.F);
  const std::int64_t skip[] = {2 * sizeof(float), 10, 2 * sizeof(weft::half)};
  const auto later = Operands::moved(at, step, skip, 1);
  const weft::cpu::ElementAt<1, Operands::type> third{later, 0};
  CHECK(third.get<1>() == 3.F);
  CHECK(third.get<2>() == 110);
  CHECK(third.get<3>() == 7.F);
}
