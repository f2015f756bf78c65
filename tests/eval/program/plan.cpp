// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/plan.hpp>

#include "operands.hpp"

using test::memory;
using test::operand;
using test::random_view;
using test::storage;
using test::visited;
using weft::Shape;
using weft::detail::Cursor;
using weft::detail::Loops;
using weft::detail::Operand;

TEST_CASE("simplified loops visit the same elements together") {
  test::Random r(1);
  for (int n = 0; n < 1000; ++n) {
    Shape shape = r.shape(3, 4);
    shape.push_back(r.between(1, 5));
    const auto base = weft::layout::contiguous(shape);
    const auto b = random_view(r, base);
    Operand operands[3] = {operand(weft::layout::contiguous(b.shape), 4), operand(b),
                           operand(base, 2)};
    operands[2].set(memory, 2, {b.shape[b.rank() - 1]}, {1}, &storage);
    for (Operand& x : operands) x.broadcast_to(b.shape);
    Loops loops;
    loops.rank = b.rank();
    for (int d = 0; d < b.rank(); ++d) loops.size[d] = b.shape[d];
    auto before = visited(loops, operands, 3);
    const bool keep_order = r.between(0, 1) == 0;
    simplify(loops, operands, 3, keep_order);
    auto after = visited(loops, operands, 3);
    if (!keep_order) {
      std::sort(before.begin(), before.end());
      std::sort(after.begin(), after.end());
    }
    CHECK(before == after);
    for (int d = 0; d < loops.rank; ++d) CHECK(loops.size[d] != 1);
  }
}

TEST_CASE("what lies side by side becomes one loop") {
  const auto x = weft::layout::contiguous({3, 1, 4, 5});
  Operand operands[2] = {operand(weft::layout::flip(x, 0)), operand(weft::layout::flip(x, 0))};
  Loops loops;
  loops.rank = 4;
  for (int d = 0; d < 4; ++d) loops.size[d] = x.shape[d];
  simplify(loops, operands, 2);
  CHECK(loops.rank == 1);
  CHECK(loops.size[0] == 60);
  CHECK(operands[0].stride[0] == 1);
  CHECK(operands[0].data == memory);
}

TEST_CASE("a cursor finds any place, also beyond 2^32") {
  const std::int64_t big = (std::int64_t{1} << 31) + 7;
  Operand x = operand(weft::layout::expand(weft::layout::contiguous({3, 1}), {3, big}), 4);
  Loops loops;
  loops.rank = 2;
  loops.size[0] = 3;
  loops.size[1] = big;
  CHECK(loops.count() == 3 * big);
  char* at[1] = {memory};
  Cursor cursor;
  cursor.seek(loops, 2, &x, 1, at, 2 * big + big - 1);
  CHECK(cursor.index[0] == 2);
  CHECK(cursor.index[1] == big - 1);
  CHECK(at[0] == memory + 8);
  simplify(loops, &x, 1);
  CHECK(loops.count() == 3 * big);
}
