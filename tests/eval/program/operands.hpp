// Operands in one block of memory, views of it drawn at random, and what loops visit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/eval/program/plan.hpp>

#include <vector>

#include "array.hpp"

namespace test {

using weft::detail::Cursor;
using weft::detail::Loops;
using weft::detail::Operand;

inline char memory[1 << 16];
inline weft::Storage storage;

inline Operand operand(const weft::Layout& x, int itemsize = 1) {
  Operand o;
  o.set(memory + x.offset * itemsize, static_cast<std::size_t>(itemsize), x.shape, x.strides,
        &storage);
  return o;
}

inline weft::Layout random_view(Random& r, weft::Layout x) {
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
inline std::vector<std::vector<std::int64_t>> visited(const Loops& loops, const Operand* operands,
                                                      int n) {
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

}  // namespace test
