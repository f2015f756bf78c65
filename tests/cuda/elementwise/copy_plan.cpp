#include "weft/cuda/elementwise/copy_plan.hpp"

#include "test.hpp"

using weft::Shape;

namespace {

/// What a copy of elements of `itemsize` bytes with another order of axes is planned as.
weft::on_cuda::CopyLaunch planned(const Shape& shape, const Shape& order, int itemsize,
                                  weft::on_cuda::TurnedCopy& turned) {
  weft::detail::Operand operands[2];
  weft::detail::Loops loops{shape.rank(), {}};
  std::int64_t strides[weft::max_rank];
  std::int64_t n = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    strides[d] = n;
    n *= shape[d];
  }
  n = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    loops.size[d] = shape[static_cast<int>(order[d])];
    operands[0].stride[d] = n;
    operands[1].stride[d] = strides[order[d]];
    n *= loops.size[d];
  }
  for (auto& x : operands) x.itemsize = itemsize;
  weft::detail::simplify(loops, operands, 2);
  weft::on_cuda::TiledCopy tiled;
  weft::on_cuda::FlatCopy flat;
  return weft::on_cuda::detail::plan_copy(loops, operands, turned, tiled, flat);
}

}  // namespace

TEST_CASE("copies of several short axes go by tiles with long rows in both orders") {
  weft::on_cuda::TurnedCopy copy;
  const auto patches = planned({15678, 3, 4, 14, 4, 14}, {0, 2, 4, 3, 5, 1}, 4, copy);
  CHECK(patches.tiled);
  CHECK(patches.shared_bytes == 4 * 3 * 811);  // three channels in banks of their own
  CHECK(patches.blocks == 3920);
  CHECK(planned({1000, 2000, 3}, {1, 0, 2}, 4, copy).tiled);
  CHECK_FALSE(planned({1000, 2000, 16}, {1, 0, 2}, 4, copy).tiled);
  CHECK_FALSE(planned({3, 1000}, {1, 0}, 4, copy).tiled);
}

TEST_CASE("which copies are turned, and which go element by element") {
  weft::on_cuda::TurnedCopy copy;
  CHECK(planned({65536, 17}, {1, 0}, 2, copy).turned);
  CHECK(copy.one_line);  // 17 elements from a column to the next: no two of a warp in one bank
  CHECK(copy.tile_rows == 17);
  CHECK(copy.tile_columns.divisor == 256);
  copy = {};
  CHECK(planned({64, 3, 100, 100}, {0, 2, 3, 1}, 2, copy).turned);
  CHECK(copy.packed);
  copy = {};
  CHECK(planned({4096, 4096}, {1, 0}, 4, copy).blocks == 0);  // uses vectors of 16 bytes
  copy = {};
  const auto patches = planned({100, 3, 16, 4, 16, 4}, {0, 2, 4, 3, 5, 1}, 4, copy);
  CHECK(patches.tiled);
  CHECK(patches.blocks == 600);  // half a channel each
  CHECK(planned({100, 3, 7, 4, 7, 4}, {4, 2, 0, 3, 5, 1}, 8, copy).tiled);
  copy = {};
  CHECK(planned({40, 30, 20}, {1, 0, 2}, 4, copy).blocks == 0);  // too small to matter
}
