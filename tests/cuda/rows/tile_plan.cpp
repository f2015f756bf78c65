// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/tile_plan.hpp"

#include "test.hpp"
#include "weft/cuda/rows/plan.hpp"

using weft::int64_t;
using weft::cuda::RowLoops;
using weft::cuda::RowOperand;
using weft::detail::Operand;
using weft::detail::RowMode;

namespace {

struct Planned : RowLoops {
  RowOperand operand[5];  // output, three leaves, reduction
  weft::cuda::RowLaunch launch;
  bool suits = false;
};

/// x - mean(x) * w: two leaves are one tensor, and all rows share the third.
struct Work {
  int64_t rows = 1000000;
  int64_t length = 17;
  int64_t row_stride = 0;  // of the leaf; 0: rows lie behind each other
  int64_t stride = 1;
  int64_t offset = 0;  // of the leaf from an aligned address, in bytes
  int itemsize = 4;    // of the leaf and the output
  int out_itemsize = 0;
  int weight = 10;
};

Planned plan(const Work& w) {
  static const std::uint64_t uses[] = {2, 14};
  weft::cuda::RowKernel kernel;
  kernel.tiles = true;
  kernel.outputs = 1;
  kernel.leaves = 3;
  kernel.reductions = 1;
  kernel.uses = uses;
  kernel.weight = w.weight;
  weft::detail::RowTask task;
  task.geometry = {{w.rows}, {w.length}};
  task.mode[0] = RowMode::compute;
  task.along_row[0] = true;
  weft::cuda::Properties device;
  device.major = 9;
  device.multiprocessors = 132;
  device.shared_memory_per_block = 227 * 1024;
  Operand operands[5];
  Operand inside[5];
  for (Operand& x : operands) {
    for (int64_t& s : x.stride) s = 0;
    x.itemsize = w.itemsize;
    x.data = reinterpret_cast<char*>(4096);
    x.stride[1] = 1;
  }
  operands[0].stride[0] = w.length;
  if (w.out_itemsize != 0) operands[0].itemsize = w.out_itemsize;
  for (Operand* x : {&operands[1], &operands[2]}) {
    x->data = reinterpret_cast<char*>(8192 + w.offset);
    x->stride[0] = w.row_stride != 0 ? w.row_stride : w.length;
    x->stride[1] = w.stride;
  }
  Planned out;
  weft::cuda::detail::RowPlan("test", task, kernel, device, out, out.operand)
      .read(operands, inside);
  out.suits = weft::cuda::detail::TilePlan(task, kernel, device, out, out.operand).run(out.launch);
  return out;
}

}  // namespace

TEST_CASE("many short rows that other kernels read in small pieces suit a tile") {
  CHECK(plan({}).suits);
  CHECK(plan({.length = 3}).suits);
  CHECK(plan({.length = 63}).suits);
  CHECK(plan({.length = 20, .itemsize = 2}).suits);
  CHECK_FALSE(plan({.length = 16}).suits);
  CHECK(plan({.length = 4}).suits);
  CHECK(plan({.length = 8, .itemsize = 2}).suits);
  CHECK(plan({.length = 32, .itemsize = 2}).suits);
  CHECK(plan({.length = 32, .row_stride = 40, .itemsize = 2}).suits);
  CHECK_FALSE(plan({.length = 32, .row_stride = 36, .itemsize = 2}).suits);
  CHECK_FALSE(plan({.length = 2}).suits);
  CHECK_FALSE(plan({.length = 65}).suits);
  CHECK_FALSE(plan({.rows = 100000}).suits);
  CHECK_FALSE(plan({.row_stride = 18}).suits);
  CHECK(plan({.row_stride = 1, .stride = 1000000}).suits);
  CHECK_FALSE(plan({.rows = 1000001, .row_stride = 1, .stride = 1000001, .itemsize = 2}).suits);
  CHECK(plan({.length = 32, .row_stride = 1, .stride = 1000002}).suits);
  CHECK_FALSE(plan({.length = 33, .row_stride = 1, .stride = 1000002}).suits);
  CHECK_FALSE(
      plan({.length = 9, .row_stride = 1, .stride = 1000000, .offset = 4, .itemsize = 8}).suits);
  CHECK(plan({.length = 32, .itemsize = 1, .out_itemsize = 8}).rows_a_block == 128);
  CHECK_FALSE(plan({.offset = 4}).suits);
  CHECK(plan({.length = 39, .weight = 50}).suits);
  CHECK_FALSE(plan({.length = 41, .weight = 50}).suits);
}

TEST_CASE("a tile has each operand once, and outputs where an operand was") {
  const Planned p = plan({});
  CHECK(p.launch.tile);
  CHECK(p.launch.threads == 128);
  CHECK(p.rows_a_block == 128);
  CHECK(p.launch.blocks == (1000000 + 127) / 128);
  CHECK(p.operand[1].staging == RowOperand::whole);
  CHECK(p.operand[1].pitch == 17 * 4);
  CHECK(p.operand[2].staging == RowOperand::none);
  CHECK(p.operand[2].tile == p.operand[1].tile);
  CHECK(p.operand[2].pitch == p.operand[1].pitch);
  CHECK(p.operand[3].staging == RowOperand::gathered);
  CHECK(p.operand[3].pitch == 0);
  CHECK(p.operand[3].tile >= 128 * 17 * 4);
  CHECK(p.operand[0].staging == RowOperand::whole);
  CHECK(p.operand[0].tile == p.operand[1].tile);
  CHECK(p.launch.shared_bytes >= 129 * 17 * 4);
  CHECK(p.launch.shared_bytes < 132 * 17 * 4);

  const Planned wider = plan({.itemsize = 2, .out_itemsize = 4});
  CHECK(wider.suits);
  CHECK(wider.operand[0].tile >= wider.operand[1].tile + 128 * 17 * 2);
}

TEST_CASE("a thread has several rows of a tile where they are very short") {
  CHECK(plan({.length = 3}).rows_a_block == 1024);
  CHECK(plan({.length = 7}).rows_a_block == 256);
  CHECK(plan({.length = 7, .itemsize = 2}).rows_a_block == 512);
  CHECK(plan({.length = 33}).rows_a_block == 128);
}

TEST_CASE("rows of whole words are further apart in a tile, and read in vectors") {
  const Planned p = plan({.length = 32, .itemsize = 2});
  CHECK(p.operand[1].staging == RowOperand::spread);
  CHECK(p.operand[1].pitch == 64 + 16);
  CHECK(p.operand[0].staging == RowOperand::spread);
  CHECK(p.operand[0].tile == p.operand[1].tile);
  CHECK(p.operand[3].staging == RowOperand::words);
  CHECK(p.operand[3].pitch == 0);
  CHECK(p.vectors == 0b1111);
  CHECK(p.launch.shared_bytes == p.rows_a_block * 80 + 64);

  const Planned odd = plan({.length = 24, .row_stride = 32, .itemsize = 2});
  CHECK(odd.operand[1].staging == RowOperand::words);
  CHECK(odd.operand[1].pitch == 48);
  CHECK(odd.operand[0].staging == RowOperand::whole);
  CHECK(odd.vectors == 0b1111);
}

TEST_CASE("a tile has neighbouring rows' elements side by side where memory does") {
  const Planned p = plan({.row_stride = 1, .stride = 1000000});
  CHECK(p.operand[1].staging == RowOperand::across);
  CHECK(p.operand[1].word == 16);
  CHECK(p.operand[1].pitch == 4);
  CHECK(p.operand[1].hop == int64_t{p.rows_a_block} * 4);
  CHECK(p.vectors == 0);
  CHECK(plan({.row_stride = 1, .stride = 1000002}).operand[1].word == 8);
  CHECK(plan({.row_stride = 1, .stride = 1000000, .offset = 4}).operand[1].word == 4);
}
