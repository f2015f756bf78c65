// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/reduce.hpp>

#include "array.hpp"

using weft::axis;

TEST_CASE("states that come one by one merge in order") {
  // Joining intervals: merging out of order or twice would leave a gap.
  struct Interval {
    long long first = 0;
    long long last = 0;
  };
  struct Join {
    void merge(Interval& s, Interval later) const {
      if (s.last == s.first)
        s = later;
      else if (later.last != later.first)
        s = {later.first == s.last ? s.first : -1000000, later.last};
    }
  };
  const Join join;
  for (int n : {0, 1, 2, 3, 5, 8, 31, 64, 1000}) {
    weft::cpu::detail::Tree<Join, Interval, 3> tree(join);
    for (int i = 0; i < n; ++i) {
      Interval next[3] = {{i, i + 1}, {2 * i, 2 * i + 2}, {}};
      tree.push(next, 2);
    }
    Interval out[3];
    tree.total(out, 2);
    CHECK(out[0].first == 0);
    CHECK(out[0].last == n);
    CHECK(out[1].last == 2 * n);
    CHECK(out[2].last == 0);
  }
}

TEST_CASE("many rows, many columns and both") {
  test::Random r(1);
  for (auto [rows, columns] : {std::pair<int, int>{1, 40000},
                               {40000, 1},
                               {3, 20000},
                               {20000, 3},
                               {9, 4000},
                               {4000, 9},
                               {300, 300},
                               {127, 64},
                               {128, 65},
                               {129, 63},
                               {2, 8}}) {
    const auto a = r.array<std::int32_t>({rows, columns});
    const auto x = a.on(weft::Cpu{});
    std::vector<std::int64_t> by_row(static_cast<std::size_t>(rows));
    std::vector<std::int64_t> by_column(static_cast<std::size_t>(columns));
    std::size_t k = 0;
    for (auto& row : by_row) {
      for (auto& column : by_column) {
        row += a.values[k];
        column += a.values[k++];
      }
    }
    CHECK(sum(x, axis(1)).eval().to_vector() == by_row);
    CHECK(sum(x, axis(0)).eval().to_vector() == by_column);
    CHECK(sum(x.t(), axis(0)).eval().to_vector() == by_row);
    CHECK(sum(x.flip(1), axis(1)).eval().to_vector() == by_row);
    const auto target = weft::zeros<std::int64_t>({2, columns});
    target(1).flip(0).assign(sum(x, axis(0)));
    CHECK(target(1).flip(0).to_vector() == by_column);
    CHECK(sum(target(0)).item() == 0);
  }
}

TEST_CASE("the same bits every time") {
  test::Numbers numbers;
  std::vector<float> values(200000);
  for (float& v : values) v = static_cast<float>(numbers.uniform(-1, 1));
  const auto x = weft::tensor(values, {200, 1000});
  const float once = sum(x).item();
  const auto columns = sum(x, axis(0)).eval().to_vector();
  for (int i = 0; i < 3; ++i) {
    CHECK(sum(x).item() == once);
    CHECK(sum(x, axis(0)).eval().to_vector() == columns);
  }
}
