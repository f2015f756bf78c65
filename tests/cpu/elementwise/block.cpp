// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/block.hpp>

#include <vector>

#include "test.hpp"

using weft::cpu::Block;
using weft::cpu::BlockOperand;

namespace {
template <class T>
BlockOperand blocked_of(T* data, std::int64_t stride) {
  BlockOperand x{reinterpret_cast<char*>(data), stride, sizeof(T)};
  x.direct = stride == 1;
  return x;
}
}  // namespace

TEST_CASE("operands come to unit stride, targets go back to theirs") {
  float x[900];
  std::int16_t y[900];
  for (int i = 0; i < 900; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = static_cast<std::int16_t>(3 * i);
  }
  alignas(64) char scratch[Block::scratch_bytes];
  for (int n : {1, 15, 16, 17, 200}) {
    for (int stride : {1, 2, 0, -1}) {
      float out[900];
      for (float& v : out) v = -7;
      BlockOperand blocked[] = {blocked_of(out + 450, stride == 0 ? 2 : stride),
                                blocked_of(x + 300, stride), blocked_of(y + 250, 1)};
      Block block(blocked, 3, 1, scratch);
      char* at[3];
      REQUIRE(block.length() >= n);
      block.load(3, n, at);
      CHECK((at[1] == reinterpret_cast<char*>(x + 303)) == (stride == 1));
      CHECK(at[2] == reinterpret_cast<char*>(y + 253));
      bool right = true;
      for (int i = 0; i < n; ++i) {
        const float value = reinterpret_cast<const float*>(at[1])[i];
        right = right && value == x[300 + (3 + i) * stride];
        reinterpret_cast<float*>(at[0])[i] = value + 1;
      }
      block.store(3, n);
      const int step = stride == 0 ? 2 : stride;
      for (int i = 0; i < n; ++i)
        right = right && out[450 + (3 + i) * step] == x[300 + (3 + i) * stride] + 1;
      int written = 0;
      for (float v : out) written += v != -7;
      CHECK(right);
      CHECK(written == n);
    }
  }
}

TEST_CASE("an element that repeats is copied again only where another one does") {
  float x[] = {1, 2};
  alignas(64) char scratch[Block::scratch_bytes];
  BlockOperand blocked[] = {blocked_of(x, 1), blocked_of(x, 0)};
  Block block(blocked, 2, 1, scratch);
  char* at[2];
  const auto all = [&](int n, float value) {
    for (int i = 0; i < n; ++i) {
      if (reinterpret_cast<const float*>(at[1])[i] != value) return false;
    }
    return true;
  };
  block.load(0, 10, at);
  CHECK(all(10, 1));
  block.load(10, 40, at);
  CHECK(all(40, 1));
  blocked[1].row += sizeof(float);
  block.load(0, 40, at);
  CHECK(all(40, 2));
}

TEST_CASE("only the operands that are asked for are copied") {
  float x[] = {1, 2};
  alignas(64) char scratch[Block::scratch_bytes];
  BlockOperand blocked[] = {blocked_of(x, 1), blocked_of(x, 0), blocked_of(x + 1, 0)};
  Block block(blocked, 3, 1, scratch);
  char* at[3] = {nullptr, nullptr, nullptr};
  block.load(0, 4, at, 0b101);
  CHECK(at[0] != nullptr);
  CHECK(at[1] == nullptr);
  CHECK(*reinterpret_cast<const float*>(at[2]) == 2);
}

TEST_CASE("many operands share the memory for copies") {
  double x[] = {1, 2};
  alignas(64) char scratch[Block::scratch_bytes];
  BlockOperand blocked[200];
  for (BlockOperand& each : blocked) each = blocked_of(x, 0);
  Block block(blocked, 200, 0, scratch);
  CHECK(block.length() == 16);
  char* at[200];
  block.load(0, 16, at);
  for (int i = 0; i < 200; ++i) {
    CHECK(at[i] >= scratch);
    CHECK(at[i] + 16 * sizeof(double) <= scratch + Block::scratch_bytes);
    CHECK(*reinterpret_cast<const double*>(at[i]) == 1);
  }
}

TEST_CASE("elements of every size are copied") {
  for (int itemsize : {1, 2, 4, 8, 16}) {
    char from[320];
    char to[320] = {};
    for (int i = 0; i < 320; ++i) from[i] = static_cast<char>(i);
    const bool own = itemsize != 4 && itemsize != 1;
    const auto copy = own ? weft::cpu::movers<2 | 8 | 16>.copy : weft::cpu::movers<4 | 8>.copy;
    copy(from, 2, to, 1, 10, itemsize);
    bool right = true;
    for (int i = 0; i < 10 * itemsize; ++i) {
      right = right && to[i] == from[i / itemsize * 2 * itemsize + i % itemsize];
    }
    CHECK(right);
  }
}

TEST_CASE("a repeated operand is copied once") {
  float x[64];
  float out[64];
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i);
  alignas(64) char scratch[Block::scratch_bytes];
  BlockOperand blocked[] = {blocked_of(out, 1), blocked_of(x, 2), blocked_of(x + 1, 2),
                            blocked_of(x, 2)};
  blocked[3].same = 1;
  Block block(blocked, 4, 1, scratch);
  char* at[4];
  std::int64_t skip[4];
  block.load(1, 20, at, ~std::uint64_t{0}, 1, skip);
  CHECK(at[3] == at[1]);
  CHECK(skip[3] == skip[1]);
  for (int i = 0; i < 20; ++i) {
    CHECK(reinterpret_cast<const float*>(at[1])[i] == x[2 + 2 * i]);
    CHECK(reinterpret_cast<const float*>(at[2])[i] == x[3 + 2 * i]);
  }
}
