// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/overlap.hpp>

#include <set>

#include "operands.hpp"

using test::operand;
using test::random_view;
using test::storage;
using test::visited;
using weft::detail::conflicts;
using weft::detail::disjoint;
using weft::detail::Loops;
using weft::detail::Operand;
using weft::detail::overlap;

TEST_CASE("conflicts are found wherever a walk finds one") {
  test::Random r(2);
  int harmless = 0;
  for (int n = 0; n < 4000; ++n) {
    const auto base = weft::layout::contiguous({r.between(1, 4), r.between(1, 4), r.between(1, 3)});
    auto target = random_view(r, base);
    if (target.has_overlap()) continue;
    auto source = r.between(0, 3) == 0 ? target : random_view(r, base);
    if (!weft::broadcasts_to(source.shape, target.shape)) continue;
    Operand a = operand(target);
    Operand b = operand(source);
    const bool said = conflicts(a, b);
    a.broadcast_to(target.shape);
    b.broadcast_to(target.shape);
    Loops loops;
    loops.rank = target.rank();
    for (int d = 0; d < loops.rank; ++d) loops.size[d] = target.shape[d];
    Operand both[2] = {a, b};
    std::set<std::int64_t> written;
    bool reads_written = false;
    for (const auto& at : visited(loops, both, 2)) {
      reads_written = reads_written || (at[1] != at[0] && written.count(at[1]) != 0);
      written.insert(at[0]);
    }
    if (reads_written) CHECK(said);
    if (source.shape == target.shape && source.strides == target.strides &&
        source.offset == target.offset) {
      CHECK_FALSE(said);
      ++harmless;
    }
  }
  CHECK(harmless > 100);
}

TEST_CASE("columns, steps and blocks of one matrix have no element in common, or have some") {
  const auto x = weft::layout::contiguous({6, 8});
  const auto block = [&](std::int64_t row, std::int64_t column, std::int64_t rows,
                         std::int64_t columns) {
    return operand(weft::layout::narrow(weft::layout::narrow(x, 0, row, rows), 1, column, columns),
                   8);
  };
  CHECK(disjoint(block(0, 0, 6, 1), block(0, 1, 6, 1)));
  CHECK(disjoint(block(0, 0, 6, 3), block(0, 3, 6, 3)));
  CHECK(disjoint(block(0, 5, 2, 3), block(1, 0, 2, 3)));
  CHECK_FALSE(disjoint(block(0, 0, 6, 3), block(0, 2, 6, 3)));
  CHECK_FALSE(disjoint(block(0, 0, 3, 3), block(2, 2, 3, 3)));
  CHECK_FALSE(disjoint(block(0, 0, 6, 3), block(0, 3, 6, 2)));
  CHECK_FALSE(disjoint(block(0, 0, 2, 2), block(0, 0, 2, 2)));
  CHECK_FALSE(conflicts(block(0, 0, 6, 1), block(0, 1, 6, 1)));
  CHECK(conflicts(block(0, 0, 6, 2), block(0, 1, 6, 2)));
}

TEST_CASE("neighbours do not overlap") {
  const auto x = weft::layout::contiguous({4, 4});
  const auto rows = [&](std::int64_t from, std::int64_t n) {
    return operand(weft::layout::narrow(x, 0, from, n), 8);
  };
  CHECK_FALSE(overlap(rows(0, 2), rows(2, 2)));
  CHECK(overlap(rows(0, 3), rows(2, 2)));
  CHECK_FALSE(overlap(rows(0, 0), rows(0, 4)));
  Operand flipped = operand(weft::layout::flip(weft::layout::narrow(x, 0, 0, 2), 0), 8);
  CHECK_FALSE(overlap(flipped, rows(2, 1)));
  CHECK(overlap(flipped, rows(1, 1)));
  Operand other = rows(0, 4);
  other.storage = nullptr;
  CHECK_FALSE(conflicts(rows(1, 1), other));
}
