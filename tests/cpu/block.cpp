// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/block.hpp>

#include "test.hpp"

using namespace weft;

TEST_CASE("a block brings operands to unit stride and computes") {
  float x[900];
  weft::half y[900];
  for (int i = 0; i < 900; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = weft::half(i % 7);
  }
  const Apply<op::add, Arg<1, float>, Arg<2, weft::half>> program{
      {}, make_pack(Arg<1, float>{}, Arg<2, weft::half>{})};
  for (int n : {1, 15, 16, 17, 255, 256}) {
    for (int stride : {1, 2, 0, -1}) {
      cpu::Block<weft::detail::TypeList<float, weft::half>> block;
      char* rows[] = {nullptr, reinterpret_cast<char*>(x + 300), reinterpret_cast<char*>(y + 280)};
      const std::int64_t strides[] = {1, stride, 1};
      float out[cpu::block_size + 1];
      out[n] = -7;
      block.load(rows, strides, n);
      block.run(program, out, n);
      bool right = out[n] == -7;
      for (int i = 0; i < n; ++i)
        right = right && out[i] == x[300 + i * stride] + float(y[280 + i]);
      CHECK(right);
    }
  }
}

TEST_CASE("positions are computed") {
  using Lowering = weft::detail::Lowering<Positions>;
  weft::detail::Operand operands[2];
  const auto program = Lowering::lower<1>(Positions({10}, 1LL << 40), operands);
  cpu::Block<Lowering::types> block;
  char* rows[] = {nullptr, operands[1].data};
  for (std::int64_t stride : {0, 1, -3}) {
    const std::int64_t strides[] = {1, stride};
    long long out[10];
    block.load(rows, strides, 10);
    block.run(program, out, 10);
    CHECK(out[0] == 1LL << 40);
    CHECK(out[9] == (1LL << 40) + 9 * stride);
  }
}
