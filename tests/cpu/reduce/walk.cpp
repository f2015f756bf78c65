// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/reduce/walk.hpp>

#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

using weft::axis;

TEST_CASE("loops of no dimension become one of size 1") {
  weft::detail::Loops loops;
  weft::detail::Operand x;
  weft::cpu::detail::pad(loops, &x, 1);
  CHECK(loops.rank == 1);
  CHECK(loops.size[0] == 1);
  CHECK(x.stride[0] == 0);
}

TEST_CASE("long, tall and many-dimensional reductions are cut into pieces and all elements count") {
  // More elements than a piece, and a rest; whole numbers, so that sums are exact.
  const auto x = (weft::arange<double>(210'000.0) % 1009.0).eval();
  double sum = 0;
  for (double v : x.to_vector()) sum += v;
  CHECK(weft::sum(x).item() == sum);
  CHECK(weft::sum(x.reshape({70000, 3}).t()).item() == sum);
  const auto rows = weft::sum(x.reshape({2, 105000}), axis(1)).eval();
  CHECK(rows.at(0) + rows.at(1) == sum);
  for (std::int64_t width : {8, 30, 700, 2100}) {
    const auto table = x.reshape({210000 / width, width});
    const auto columns = weft::sum(table, axis(0)).eval();
    std::vector<double> expected(static_cast<std::size_t>(width));
    for (std::int64_t i = 0; i < x.size(); ++i) {
      expected[static_cast<std::size_t>(i % width)] += x.data()[i];
    }
    CHECK(columns.to_vector() == expected);
    CHECK(weft::sum(table(weft::all, weft::slice(weft::none, weft::none, -1)), axis(0))
              .eval()
              .at(0) == expected.back());
  }
  const auto cube = x.reshape({30, 70, 100});
  const auto middle = weft::sum(cube, axis(0, 2)).eval();
  std::vector<double> expected(70);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    expected[static_cast<std::size_t>(i / 100 % 70)] += x.data()[i];
  }
  CHECK(middle.to_vector() == expected);
  CHECK(weft::argmax(cube, axis(0, 2)).eval().at(9) ==
        weft::argmax(cube.permute({1, 0, 2}).clone().reshape({70, 3000}), axis(1)).eval().at(9));
}

TEST_CASE("short lines several at a time, and axes of one element") {
  // Whole numbers, so that sums are exact; with and without gaps, computed and in place.
  for (const std::int64_t size : {1, 7, 49, 256, 257}) {
    for (const std::int64_t images : {1, 3, 300}) {
      const std::int64_t count = images * 5 * (size + 1);
      const auto base = (weft::arange<double>(static_cast<double>(count)) % 1009.0)
                            .eval()
                            .reshape({images, 5, size + 1});
      for (const auto& x : {base(weft::all, weft::all, weft::slice(0, size)),
                            base(weft::all, weft::all, weft::slice(0, size)).clone()}) {
        const auto rows = x.permute({1, 0, 2}).clone().reshape({5, images * size});
        CHECK(equal(sum(x, axis(0, 2)), sum(rows, axis(1))));
        CHECK(equal(sum(x * 2.0 + 1.0, axis(0, 2)), sum((rows * 2.0 + 1.0).eval(), axis(1))));
        CHECK(equal(argmax(x, axis(0, 2)), argmax(rows, axis(1))));
        CHECK(allclose(var(x, axis(0, 2), weft::correction(0)),
                       var(rows, axis(1), weft::correction(0)), {1e-12, 1e-12}));
      }
    }
  }
  const auto x = weft::arange<double>(3000.0).reshape({1, 30, 1, 100});
  CHECK(equal(sum(square(x) + x, axis(0)), (square(x) + x).eval().reshape({30, 1, 100})));
  CHECK(equal(sum(x * x, axis(0, 2)), (x * x).eval().reshape({30, 100})));
  CHECK(equal(sum(x.permute({0, 3, 2, 1}), axis(0)),
              x.permute({3, 2, 1, 0}).clone().reshape({100, 1, 30})));
}

TEST_CASE("a bad index inside a long reduction throws, and nothing is leaked") {
  const auto x = weft::arange<float>(100.F);
  const auto indices = weft::full({200'000}, std::int64_t{7});
  CHECK(sum(take(x, indices)).item() == 1'400'000);
  indices(150'000).fill(100);
  CHECK_THROWS_AS(sum(take(x, indices)).item(), weft::IndexError);
  const auto rows = indices.reshape({2, 100'000});
  CHECK_THROWS_AS(softmax(take(x, rows)).eval(), weft::IndexError);
}
