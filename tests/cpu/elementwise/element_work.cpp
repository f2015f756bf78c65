// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/element_work.hpp>

#include "test.hpp"
#include "weft/cpu/elementwise/block.hpp"

TEST_CASE("a loop gets addresses and steps, whatever it computes") {
  const float x[] = {1, 2, 3, 4, 5, 6};
  float y[6] = {};
  const float factor = 2;
  weft::cpu::detail::ElementLoop* const loop =
      [](const void* program, char* const* at, const std::int64_t* step, const std::int64_t* skip,
         std::int64_t rows, std::int64_t n) {
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t i = 0; i < n; ++i) {
            reinterpret_cast<float*>(at[0] + r * skip[0])[i] =
                *static_cast<const float*>(program) *
                reinterpret_cast<const float*>(at[1] + r * skip[1])[i * step[1]];
          }
        }
      };
  weft::detail::Loops loops;
  weft::detail::Operand operands[2];
  operands[0].data = reinterpret_cast<char*>(y);
  operands[1].data = reinterpret_cast<char*>(const_cast<float*>(x));
  const bool computed[] = {false};
  const weft::cpu::detail::ElementWork work{
      loops, operands, 2, 1, computed, loop, &factor, weft::cpu::movers<sizeof(float)>, 1};
  char* at[] = {operands[0].data, operands[1].data};
  const std::int64_t step[] = {1, 1};
  const std::int64_t skip[] = {3 * sizeof(float), 3 * sizeof(float)};
  work.loop(work.programs, at, step, skip, 2, 3);
  CHECK(y[2] == 6);
  CHECK(y[5] == 12);
}
