// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/reduce/column_run.hpp>

#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

using weft::axis;
using weft::cpu::detail::ColumnRun;
namespace reducer = weft::reducer;

TEST_CASE("columns side by side, rows past a group, as results and as states") {
  using Columns = ColumnRun<float, reducer::sum, float>;
  const auto& loops = Columns::loops;
  const reducer::sum sum;
  std::vector<char> running(static_cast<std::size_t>(loops.bytes) + 64);
  void* const memory =
      running.data() + (64 - reinterpret_cast<std::uintptr_t>(running.data()) % 64);
  for (int rows : {0, 1, 63, 64, 65, 400}) {
    CAPTURE(rows);
    std::vector<float> x(static_cast<std::size_t>(rows) * 10);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 10 + i / 10);
    const auto expected = [&](int c) {
      return static_cast<float>(rows * c + rows * (rows - 1) / 2);
    };
    const auto run = [&] {
      loops.begin(&sum, memory);
      const int first = rows / 3;
      loops.add(&sum, reinterpret_cast<const char*>(x.data()), 40, first, 9, 0, memory);
      loops.add(&sum, reinterpret_cast<const char*>(x.data() + first * 10), 40, rows - first, 9,
                first, memory);
    };
    run();
    float out[20] = {};
    loops.finish(&sum, memory, 9, rows, reinterpret_cast<char*>(out), 8);
    run();
    Columns::State states[9];
    loops.end(&sum, memory, 9, reinterpret_cast<char*>(states));
    for (int c = 0; c < 9; ++c) {
      CHECK(out[2 * c] == expected(c));
      CHECK(states[c].value == expected(c));
      CHECK(out[2 * c + 1] == 0);
    }
  }
}

TEST_CASE("wide and narrow matrices, of values in memory and computed ones") {
  for (const std::int64_t width : {8, 100, 4096, 4097, 9000}) {
    for (const std::int64_t rows : {1, 70, 600}) {
      if (width * rows > 3'000'000) continue;
      CAPTURE(width);
      CAPTURE(rows);
      const auto x = (weft::arange<double>(static_cast<double>(width * rows)) % 13.0)
                         .eval()
                         .reshape({rows, width});
      const auto plain = sum(x, axis(0)).eval();
      const auto squares = sum(x * x, axis(0)).eval();
      const auto largest = argmax(x, axis(0)).eval();
      bool right = true;
      for (std::int64_t c = 0; c < width; ++c) {
        double s = 0;
        double q = 0;
        std::int64_t at = 0;
        for (std::int64_t r = 0; r < rows; ++r) {
          const double v = static_cast<double>((r * width + c) % 13);
          s += v;
          q += v * v;
          if (v > static_cast<double>((at * width + c) % 13)) at = r;
        }
        right = right && plain.at(c) == s && squares.at(c) == q && largest.at(c) == at;
      }
      CHECK(right);
    }
  }
}

TEST_CASE("argmax and argmin of columns: the first of equals, the first NaN, pieces of many rows") {
  for (const std::int64_t rows : {1, 5, 70, 1500}) {
    weft::Tensor<float> x = weft::floor(weft::sin(weft::arange<float>(rows * 11)) * 3.0F);
    x = x.reshape({rows, 11});
    if (rows > 4) x.data()[3 * 11 + 2] = x.data()[4 * 11 + 2] = weft::math::nan<float>;
    const auto high = weft::argmax(x, axis(0)).eval();
    const auto low = weft::argmin(x, axis(0)).eval();
    for (std::int64_t c = 0; c < 11; ++c) {
      std::int64_t most = 0;
      std::int64_t least = 0;
      for (std::int64_t r = 1; r < rows; ++r) {
        const float v = x.data()[r * 11 + c];
        const float m = x.data()[most * 11 + c];
        const float l = x.data()[least * 11 + c];
        if (m == m && (v != v || v > m)) most = r;
        if (l == l && (v != v || v < l)) least = r;
      }
      CHECK(high(c).item() == most);
      CHECK(low(c).item() == least);
    }
  }
}
