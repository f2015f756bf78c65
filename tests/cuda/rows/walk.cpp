// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/lane.hpp>
#include <weft/cuda/rows/walk.hpp>

#include "array.hpp"

using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::slice;

TEST_CASE("each element of a row is read once and written where it was [gpu]") {
  test::Random r(3);
  for (std::int64_t width : {1, 3, 4, 7, 64, 65, 1000, 1023, 5000}) {
    CAPTURE(width);
    const auto a = r.array<float>({5, width + 3});
    const auto x = a.on(Cuda{});
    for (std::int64_t start : {0, 1, 2, 3}) {  // rows whose first element is not aligned
      const auto part = x(weft::all, slice(start, start + width));
      const weft::Tensor counted = part * 0 + sum(part * 0 + 1, axis(-1), keepdims);
      for (float v : counted.to_vector()) CHECK(v == static_cast<float>(width));
      const weft::Tensor same = part + 0 * sum(part, axis(-1), keepdims);
      CHECK(equal(same, part));
    }
  }
}

TEST_CASE("positions, numbers for the row and rows that share an operand [gpu]") {
  const auto x = weft::arange<float>(6 * 70, Cuda{}).reshape({6, 70});
  const auto row = weft::arange<float>(70, Cuda{});
  const auto column = weft::arange<float>(6, Cuda{}).reshape({6, 1});
  const weft::Tensor y =
      x - row - column * 70 + (max(x, axis(-1), keepdims) - min(x, axis(-1), keepdims));
  for (float v : y.to_vector()) CHECK(v == 69);
}
