// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/row_kernel.hpp>

#include "test.hpp"

using namespace weft;
using weft::detail::TypeList;

TEST_CASE("the loops of x / sum(x), run by hand") {
  using Sum = RowReduction<reducer::sum, Arg<1, float>, float>;
  using Output = Apply<op::div, Arg<1, float>, Reduced<0, float>>;
  using Program = RowProgram<Pack<Sum>, Pack<Output>>;
  using Kernel = cpu::detail::RowKernel<TypeList<float>, TypeList<float>, Program>;
  static_assert(Kernel::outputs == 1 && Kernel::leaves == 1 && Kernel::reductions == 1);
  static_assert(Kernel::fits);

  const Program program{make_pack(Sum{}), make_pack(Output{})};
  float x[] = {1, 2, 3, 2};
  float out[4] = {};
  float sum = 0;
  char* const at[] = {reinterpret_cast<char*>(out), reinterpret_cast<char*>(x),
                      reinterpret_cast<char*>(&sum)};
  const std::int64_t step[] = {1, 1, 0};

  const auto& reduce = *Kernel::reduce_loops[0];
  CHECK(reduce.uses == 0b10);
  CHECK(reduce.value_bytes == sizeof(float));
  alignas(64) char memory[4096];
  REQUIRE(reduce.bytes <= 4096);
  reduce.begin(&program, memory);
  reduce.add(&program, at, step, 4, 0, memory);
  reduce.add(&program, at, step, 2, 4, memory);
  reduce.end(&program, memory, 6, at[2]);
  CHECK(sum == 11);

  const auto& output = *Kernel::output_loops[0];
  CHECK(output.uses == 0b110);
  output.store(&program, at, step, 4);
  CHECK(out[0] == 1.F / 11);
  CHECK(out[2] == 3.F / 11);
}
