// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/for_each.hpp>

#include "array.hpp"

using test::Index;

TEST_CASE("targets of any layout, past the size of a block and of a thread's share") {
  test::Random r(1);
  for (int n = 0; n < 60; ++n) {
    auto a = r.array<std::int32_t>({r.between(1, 40), r.between(1, 1100)});
    auto x = a.on(weft::Cpu{});
    r.vary(x, a);
    if (a.shape.size() > 200000) continue;
    auto expected = a;
    for (auto& v : expected.values) v = 7 - v;
    const weft::Shape shape = a.shape;
    CHECK(test::same(7 - x, expected));
    weft::Shape wide = shape;
    wide[wide.rank() - 1] *= 2;
    const auto target =
        weft::full(wide, -1)(weft::ellipsis, weft::slice(weft::none, weft::none, -2));
    target.assign(7 - x);
    CHECK(test::same(target, expected));
    const auto transposed = weft::full({shape[shape.rank() - 1], shape[0]}, 0).t();
    if (shape.rank() == 2) {
      transposed.assign(7 - x);
      CHECK(test::same(transposed, expected));
    }
  }
}

TEST_CASE("nothing outside the target is written") {
  for (std::int64_t n : {1, 7, 255, 256, 257, 512, 1000, 40000}) {
    const auto memory = weft::full({n + 2}, -1.F);
    memory(weft::slice(1, -1)).assign(weft::arange<float>(static_cast<float>(n)) * 2);
    CHECK(memory.at(0) == -1);
    CHECK(memory.at(n + 1) == -1);
    CHECK(memory.at(n) == static_cast<float>(2 * (n - 1)));
    CHECK(sum(cast<double>(memory)).item() ==
          static_cast<double>(n) * static_cast<double>(n - 1) - 2);
  }
}

TEST_CASE("eight axes") {
  test::Random r(3);
  auto a = r.array<float>({2, 3, 2, 1, 3, 2, 2, 3});
  const auto x = a.on(weft::Cpu{}).permute({7, 5, 3, 1, 0, 2, 4, 6});
  const auto expected = a.pick(
      x.shape(), [](Index i) { return Index{i[4], i[3], i[5], i[2], i[6], i[1], i[7], i[0]}; });
  CHECK(test::same(x * 1, expected));
  auto sums = expected;
  for (float& v : sums.values) v *= 2;
  CHECK(test::same(x + x.clone(), sums));
}

TEST_CASE_TEMPLATE("sums and products over rows of any width, also in place", T, float, double) {
  for (const std::int64_t width : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 100, 1023, 16385}) {
    for (const std::int64_t rows : {1, 2, 5, 70, 300}) {
      if (rows * width > 200000) continue;
      test::Random r(static_cast<unsigned>(rows * width));
      const auto a = r.array<T>({rows, width});
      const auto m = r.array<T>({width});
      const auto d = r.array<T>({width});
      auto expected = a;
      for (std::int64_t i = 0; i < rows * width; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto column = static_cast<std::size_t>(i % width);
        expected.values[at] = (a.values[at] - m.values[column]) * d.values[column];
      }
      const auto x = a.on(weft::Cpu{});
      CHECK(test::same((x - m.on(weft::Cpu{})) * d.on(weft::Cpu{}), expected));
      x.assign((x - m.on(weft::Cpu{})) * d.on(weft::Cpu{}));
      CHECK(test::same(x, expected));
    }
  }
}
