// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/at.hpp>

#include "test.hpp"

using namespace weft;
using weft::detail::TypeList;

TEST_CASE("operands by their number, values by row, and what was kept") {
  float x[] = {1, 2, 3, 4};
  double sums[] = {10, 20};
  char* const at[] = {reinterpret_cast<char*>(x), reinterpret_cast<char*>(sums)};
  const std::int64_t step[] = {1, 0};
  const std::int64_t skip[] = {2 * sizeof(float), sizeof(double)};
  using Operands = cpu::OperandElements<TypeList<float>>;
  using Values = cpu::detail::RowValues<TypeList<double>>;
  const float kept[] = {7, 8};
  const auto operands = Operands::moved(at, step, skip, 1);
  const auto values = Values::moved(at + 1, step + 1, skip + 1, 1);
  const cpu::detail::RowAt<1, Operands::type, Values::type, float> row{operands, values, kept, 1};
  CHECK(row.get<1>() == 4);
  CHECK(row.reduced<0>() == 20);
  CHECK(row.left() == 8);
  const cpu::detail::RowVectorAt<1, Operands::type> vectors{operands, at + 1, skip + 1, 1};
  CHECK(vectors.data<1>() == x + 2);
  CHECK(vectors.reduced<0, double>() == 20);
}
