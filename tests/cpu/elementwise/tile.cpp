// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/tile.hpp>

#include "array.hpp"

using weft::Shape;
using weft::Tensor;
using weft::cpu::detail::find_transposition;
using weft::detail::Loops;
using weft::detail::Operand;

namespace {
Operand operand(std::initializer_list<std::int64_t> strides) {
  Operand x;
  x.itemsize = 4;
  int d = 0;
  for (std::int64_t s : strides) x.stride[d++] = s;
  return x;
}

template <class T>
void check_transposed(std::int64_t rows, std::int64_t columns) {
  const auto small = [](std::int64_t i) { return static_cast<T>(i % 101); };
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = small(static_cast<std::int64_t>(i));
    y[i] = small(static_cast<std::int64_t>(7 * i + 3));
  }
  const auto a = weft::tensor(x).reshape({columns, rows});
  const auto b = weft::tensor(y).reshape({rows, columns});
  const Tensor<T> z = a.t() + b;
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const T expected = static_cast<T>(x[static_cast<std::size_t>(j * rows + i)] +
                                        y[static_cast<std::size_t>(i * columns + j)]);
      wrong += z.data()[i * columns + j] != expected;
    }
  }
  CHECK(wrong == 0);
}
}  // namespace

TEST_CASE("operands that run along another axis are found") {
  Loops loops;
  loops.rank = 2;
  loops.size[0] = 100;
  loops.size[1] = 200;
  const bool computed[] = {false, false, false};
  Operand straight[] = {operand({200, 1}), operand({200, 1}), operand({0, 1}), operand({1, 0})};
  CHECK(find_transposition(loops, straight, 4, 1, computed).dimension == -1);
  Operand transposed[] = {operand({200, 1}), operand({200, 1}), operand({1, 100}),
                          operand({2, 300})};
  const auto transposition = find_transposition(loops, transposed, 4, 1, computed);
  CHECK(transposition.dimension == 0);
  CHECK(transposition.operands == 0b100);
  CHECK(transposition.itemsize == 4);
  loops.size[0] = 8;
  CHECK(find_transposition(loops, transposed, 4, 1, computed).dimension == -1);
  const bool position[] = {false, true, false};
  loops.size[0] = 100;
  CHECK(find_transposition(loops, transposed, 4, 1, position).dimension == -1);
}

TEST_CASE("where tiles of a target can be of whole cache lines") {
  using weft::cpu::detail::before_lines;
  Loops loops;
  loops.rank = 2;
  const weft::cpu::detail::Transposition transposition{0, 0b10, 4};
  alignas(64) char memory[128];
  Operand x = operand({160, 1});
  x.data = memory;
  CHECK(before_lines(loops, x, transposition) == 0);
  x.data = memory + 20;
  CHECK(before_lines(loops, x, transposition) == 5);
  x.data = memory + 2;
  CHECK(before_lines(loops, x, transposition) == -1);
  x.data = memory;
  x.stride[0] = 161;
  CHECK(before_lines(loops, x, transposition) == -1);
  x = operand({192, 1});
  x.data = memory;
  x.itemsize = 1;
  CHECK(before_lines(loops, x, transposition) == 0);
  CHECK(before_lines(loops, x, {0, 0b10, 16}) == -1);
}

TEST_CASE("transposed operands of every size, past the edges of tiles") {
  for (std::int64_t rows : {16, 63, 64, 65, 200}) {
    for (std::int64_t columns : {16, 31, 64, 129, 257}) {
      check_transposed<std::int8_t>(rows, columns);
      check_transposed<std::int16_t>(rows, columns);
      check_transposed<float>(rows, columns);
      check_transposed<double>(rows, columns);
    }
  }
}

TEST_CASE("permuted axes beside broadcast and strided operands") {
  test::Random r(11);
  const auto a = r.array<float>({20, 33, 70});
  const auto b = r.array<float>({33, 20, 140});
  const auto x = a.on(weft::Cpu{}).permute({1, 2, 0});  // (33, 70, 20)
  const auto y = b.on(weft::Cpu{})
                     .permute({0, 2, 1})(  // (33, 70, 20)
                         weft::all, weft::slice(weft::none, weft::none, 2));
  const auto row = weft::arange<float>(20.F);
  const Tensor<float> z = x * 2 + y - row;
  const Tensor<float> plain = x.clone() * 2 + y.clone() - row;
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < 33; ++i) {
    for (std::int64_t j = 0; j < 70; ++j) {
      for (std::int64_t k = 0; k < 20; ++k) {
        const float expected = a.values[static_cast<std::size_t>((k * 33 + i) * 70 + j)] * 2 +
                               b.values[static_cast<std::size_t>((i * 20 + k) * 140 + 2 * j)] -
                               static_cast<float>(k);
        wrong += z.at(i, j, k) != expected;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(z.to_vector() == plain.to_vector());
}

TEST_CASE("a matrix plus its transpose, in place and into a strided target") {
  auto x = weft::arange<double>(90.0 * 90).reshape({90, 90});
  const Tensor<double> expected = x.t().clone() + x.clone();
  const auto wide = weft::full({90, 180}, -1.0);
  wide(weft::all, weft::slice(weft::none, weft::none, 2)).assign(x.t() + x);
  CHECK(wide(weft::all, weft::slice(weft::none, weft::none, 2)).to_vector() ==
        expected.to_vector());
  CHECK(wide.at(89, 179) == -1);
  x += x.t();
  CHECK(x.to_vector() == expected.to_vector());
}
