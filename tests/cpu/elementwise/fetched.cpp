// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/fetched.hpp>

#include "array.hpp"
#include "weft/weft.hpp"

using namespace weft;
using cpu::detail::fetched_bytes;

static_assert(fetched_bytes<Arg<1, float>> == 0);
static_assert(fetched_bytes<Apply<op::gathered<float, AlongAxis>, Arg<1, IndexOperand>,
                                  Arg<2, std::int64_t>>> == 4 * cpu::block_size);

namespace {
/// Row i of the table has 1000 i + column.
Tensor<float> numbered(std::int64_t rows, std::int64_t columns) {
  return (arange<float>(rows).unsqueeze(1) * 1000 + arange<float>(columns)).eval();
}
}  // namespace

TEST_CASE("rows that one index picks, rows of picked elements, and indices from an index") {
  for (std::int64_t columns : {1, 7, 33, 700}) {
    const auto table = numbered(5, columns);
    const auto ids = tensor<std::int64_t>({3, 0, -1, 2});
    const auto rows = (take(table, ids, axis(0)) * 2.0F).eval();
    const auto columns_of = (take(table.t(), ids, axis(1)) * 2.0F).eval();
    const auto twice = (take(table, take(ids, ids, axis(0)), axis(0)) + 1.0F).eval();
    const Tensor<weft::half> halves = cast<weft::half>(table);
    const auto narrow = cast<float>(take(halves, ids, axis(0)) * 2.0F).eval();
    const std::int64_t row[] = {3, 0, 4, 2};
    const std::int64_t again[] = {2, 3, 2, 4};
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const float expected = table(row[i], c).item();
        wrong += rows(i, c).item() != 2 * expected;
        wrong += columns_of(c, i).item() != 2 * expected;
        wrong += twice(i, c).item() != table(again[i], c).item() + 1;
        wrong += narrow(i, c).item() != 2 * static_cast<float>(halves(row[i], c).item());
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("an index out of range is reported, whether a row or an element") {
  const auto table = numbered(5, 600);
  const auto ids = tensor<std::int64_t>({1, 5});
  CHECK_THROWS_AS((take(table, ids, axis(0)) * 2.0F).eval(), IndexError);
  CHECK_THROWS_AS((take(table.t(), ids, axis(1)) * 2.0F).eval(), IndexError);
}

TEST_CASE(
    "short rows of halves, many together, into halves that lie behind and beside each other") {
  for (std::int64_t columns : {2, 33, 128, 130}) {
    const Tensor<weft::half> table = cast<weft::half>(numbered(7, columns) * 0.03125F);
    const auto ids = ((arange<std::int64_t>(90) * 5) % std::int64_t{7} - std::int64_t{3}).eval();
    const Tensor<weft::half> rows = (take(table, ids, axis(0)) * 1.7F).eval();
    Tensor<weft::half> wide = zeros<weft::half>({90, columns + 3});
    wide(all, slice(0, columns)) = take(table, ids, axis(0)) * 1.7F;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 90; ++i) {
      const std::int64_t row = (ids(i).item() + 7) % 7;
      for (std::int64_t c = 0; c < columns; ++c) {
        const weft::half expected(static_cast<float>(table(row, c).item()) * 1.7F);
        wrong += rows(i, c).item().bits != expected.bits;
        wrong += wide(i, c).item().bits != expected.bits;
      }
    }
    CHECK(wrong == 0);
    auto bad = ids.clone();
    bad(41) = 7;
    CHECK_THROWS_AS((take(table, bad, axis(0)) * 1.7F).eval(), IndexError);
  }
}
