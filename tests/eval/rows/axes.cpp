// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/rows/axes.hpp>

#include "test.hpp"

using weft::Shape;
using weft::detail::RowAxes;
using weft::detail::RowGeometry;
using weft::detail::RowNode;

namespace {

RowNode reduction(const Shape& shape, unsigned mask, bool keep) {
  RowNode node;
  node.shape = shape;
  node.axes = {mask, keep};
  node.result = node.axes.result(shape);
  return node;
}

}  // namespace

TEST_CASE("a reduction by itself: kept axes have rows, reduced ones lie along them") {
  RowGeometry geometry;
  RowAxes axes;
  own_axes(reduction({2, 3, 4, 5}, 0b1010, false), geometry, axes);
  CHECK(geometry.kept == Shape{2, 4});
  CHECK(geometry.reduced == Shape{3, 5});
  CHECK(axes.label[0] == 0);
  CHECK(axes.label[1] == ~0);
  CHECK(axes.label[2] == 1);
  CHECK(axes.label[3] == ~1);
}

TEST_CASE("an output takes a reduction's rows where the value belongs to one row") {
  RowGeometry geometry;
  RowAxes inside;
  RowAxes outside;
  const RowNode kept = reduction({6, 7}, 0b10, true);
  own_axes(kept, geometry, inside);
  CHECK(output_axes({6, 7}, kept, inside, outside));
  CHECK(outside.label[0] == 0);
  CHECK(outside.label[1] == ~0);
  CHECK(output_axes({6, 1}, kept, inside, outside));
  CHECK(outside.label[1] == RowAxes::neither);
  CHECK_FALSE(output_axes({6, 8}, kept, inside, outside));
  CHECK_FALSE(output_axes({3, 6, 7}, kept, inside, outside));

  // Without keepdims the value lies along the last axis, which is no row's own.
  const RowNode dropped = reduction({6, 6}, 0b10, false);
  own_axes(dropped, geometry, inside);
  CHECK(output_axes({6}, dropped, inside, outside));
  CHECK_FALSE(output_axes({6, 6}, dropped, inside, outside));

  const RowNode whole = reduction({6, 7}, 0b11, false);
  own_axes(whole, geometry, inside);
  CHECK(output_axes({6, 7}, whole, inside, outside));
  CHECK(outside.label[0] == ~0);
  CHECK(output_axes({}, whole, inside, outside));
}

TEST_CASE("a reduction inside runs along the same rows or not at all") {
  RowGeometry geometry;
  RowAxes rows;
  RowAxes inside;
  own_axes(reduction({6, 7}, 0b10, true), geometry, rows);
  CHECK(enter(reduction({6, 7}, 0b10, true), rows, geometry, inside));
  CHECK(inside.label[1] == ~0);
  CHECK_FALSE(enter(reduction({6, 7}, 0b01, true), rows, geometry, inside));
  CHECK_FALSE(enter(reduction({1, 7}, 0b10, true), rows, geometry, inside));
  CHECK_FALSE(enter(reduction({6, 3}, 0b10, true), rows, geometry, inside));
}

TEST_CASE("operands get the strides along their rows") {
  RowGeometry geometry;
  RowAxes axes;
  own_axes(reduction({4, 5, 6}, 0b010, false), geometry, axes);
  weft::detail::Operand x;
  x.set(nullptr, 4, {5, 6}, {6, 1}, nullptr);
  place_in_row(x, axes, geometry);
  CHECK(x.stride[0] == 0);
  CHECK(x.stride[1] == 1);
  CHECK(x.stride[2] == 6);
}
