// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/copy.hpp>

#include <vector>

#include "test.hpp"

TEST_CASE("rows of all lengths are copied, and nothing beside them") {
  std::vector<char> from(8000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i % 119);
  for (int bytes = 1; bytes <= 600; bytes += bytes < 70 ? 1 : 53) {
    for (const int gap : {0, 1, 40}) {
      std::vector<char> to(8000, 'x');
      weft::cpu::detail::copy_rows(from.data() + 1, bytes + gap, to.data() + 5, bytes + 2 * gap,
                                   bytes, 7);
      std::vector<char> expected(8000, 'x');
      for (int r = 0; r < 7; ++r) {
        for (int i = 0; i < bytes; ++i) {
          expected[static_cast<std::size_t>(5 + r * (bytes + 2 * gap) + i)] =
              from[static_cast<std::size_t>(1 + r * (bytes + gap) + i)];
        }
      }
      CAPTURE(bytes);
      CAPTURE(gap);
      CHECK(to == expected);
    }
  }
}

TEST_CASE_TEMPLATE("one number fills any length, and nothing beyond it", T, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, long double) {
  for (int n = 0; n < 200; ++n) {
    for (int offset : {0, 1, 3}) {
      std::vector<T> out(static_cast<std::size_t>(n) + 8, T(7));
      const T value = T(201);
      weft::cpu::copy_strided<31>(reinterpret_cast<const char*>(&value), 0,
                                  reinterpret_cast<char*>(out.data() + offset + 1), 1, n,
                                  sizeof(T));
      bool right = true;
      for (int i = 0; i < n + 8; ++i) {
        const bool inside = i > offset && i <= offset + n;
        right = right && out[static_cast<std::size_t>(i)] == (inside ? value : T(7));
      }
      CHECK(right);
    }
  }
}

TEST_CASE("every second number is copied, and nothing beyond the last one read") {
  for (int n = 1; n < 70; ++n) {
    std::vector<float> in(static_cast<std::size_t>(2 * n - 1));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    std::vector<float> out(static_cast<std::size_t>(n) + 1, -7.0F);
    weft::cpu::copy_strided<4>(reinterpret_cast<const char*>(in.data()), 2,
                               reinterpret_cast<char*>(out.data()), 1, n, 4);
    bool right = out.back() == -7;
    for (std::size_t i = 0; i + 1 < out.size(); ++i) right = right && out[i] == in[2 * i];
    CHECK(right);
  }
}
