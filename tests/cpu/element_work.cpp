// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/element_work.hpp>

#include "test.hpp"

TEST_CASE("a loop gets addresses and steps, whatever it computes") {
  const float x[] = {1, 2, 3};
  float y[3] = {};
  const float factor = 2;
  weft::cpu::detail::ElementLoop* const loop = [](const void* program, char* const* at,
                                                  const std::int64_t* step, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      reinterpret_cast<float*>(at[0])[i] =
          *static_cast<const float*>(program) * reinterpret_cast<const float*>(at[1])[i * step[1]];
    }
  };
  weft::detail::Loops loops;
  weft::detail::Operand operands[2];
  operands[0].data = reinterpret_cast<char*>(y);
  operands[1].data = reinterpret_cast<char*>(const_cast<float*>(x));
  const bool computed[] = {false};
  const weft::cpu::detail::ElementWork work{loops, operands, 2, 1,   computed,
                                            loop,  &factor,  1, true};
  char* at[] = {operands[0].data, operands[1].data};
  const std::int64_t step[] = {1, 1};
  work.loop(work.programs, at, step, 3);
  CHECK(y[2] == 6);
}
