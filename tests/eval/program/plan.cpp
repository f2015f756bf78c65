// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/plan.hpp>

#include <set>

#include "array.hpp"

using weft::Shape;
using weft::detail::conflicts;
using weft::detail::Cursor;
using weft::detail::Loops;
using weft::detail::Operand;

namespace {

char memory[1 << 16];
weft::Storage storage;

Operand operand(const weft::Layout& x, int itemsize = 1) {
  Operand o;
  o.set(memory + x.offset * itemsize, static_cast<std::size_t>(itemsize), x.shape, x.strides,
        &storage);
  return o;
}

weft::Layout random_view(test::Random& r, weft::Layout x) {
  for (int n = 3; n > 0; --n) {
    const auto axis = r.between(0, x.rank() - 1);
    const auto start = r.between(0, x.shape[static_cast<int>(axis)] - 1);
    switch (r.between(0, 3)) {
      case 0:
        x = weft::layout::transpose(x, axis, 0);
        break;
      case 1:
        x = weft::layout::flip(x, axis);
        break;
      case 2:
        x = weft::layout::narrow(x, axis, start,
                                 r.between(1, x.shape[static_cast<int>(axis)] - start));
        break;
      case 3:
        x = weft::layout::expand(weft::layout::narrow(x, 0, 0, 1), x.shape);
        break;
    }
  }
  return x;
}

/// The bytes each operand touches, in the order of the loops.
std::vector<std::vector<std::int64_t>> visited(const Loops& loops, const Operand* operands, int n) {
  std::vector<std::vector<std::int64_t>> all;
  char* at[3];
  for (int i = 0; i < n; ++i) at[i] = operands[i].data;
  Cursor cursor;
  for (std::int64_t left = loops.count(); left > 0; --left) {
    all.emplace_back();
    for (int i = 0; i < n; ++i) all.back().push_back(at[i] - memory);
    cursor.next(loops, loops.rank, operands, n, at);
  }
  return all;
}

}  // namespace

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
