// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/plan.hpp"

#include "test.hpp"

using weft::int64_t;
using weft::cuda::row_block;
using weft::cuda::row_cluster;
using weft::cuda::RowLoops;
using weft::cuda::RowOperand;
using weft::detail::Operand;
using weft::detail::RowMode;

namespace {

struct Planned : RowLoops {
  RowOperand operand[4];  // output, leaf, reduction, another
  weft::cuda::RowLaunch launch;
};

/// What softmax-like work comes to: two reductions that read the leaf, as the output does.
struct Work {
  int64_t rows;
  int64_t length;
  int64_t row_stride = 0;  // of the leaf; 0: rows lie behind each other
  int64_t stride = 1;
  int64_t offset = 0;  // of the leaf and the output from an aligned address, in bytes
  int target = -1;
  bool positions = false;
  int major = 9;
};

Planned plan(const Work& w) {
  static const std::uint64_t uses[] = {2, 2, 2};
  weft::cuda::RowKernel kernel;
  kernel.outputs = 1;
  kernel.leaves = 1;
  kernel.reductions = 2;
  kernel.lanes = 4;
  kernel.state_bytes = 8;
  kernel.uses = uses;
  kernel.positions = w.positions ? 2 : 0;
  weft::detail::RowTask task;
  task.target = w.target;
  task.geometry = {{w.rows}, {w.length}};
  task.mode[0] = RowMode::compute;
  task.mode[1] = w.target < 0 ? RowMode::compute : RowMode::skip;
  task.along_row[0] = true;
  weft::cuda::Properties device;
  device.major = w.major;
  device.multiprocessors = 132;
  device.shared_memory_per_block = 227 * 1024;
  Operand operands[4];
  Operand inside[4];
  for (Operand& x : operands) {
    for (int64_t& s : x.stride) s = 0;
    x.itemsize = 4;
  }
  for (Operand* x : {&operands[0], &operands[1]}) {
    x->data = reinterpret_cast<char*>(4096 + w.offset);
    x->stride[0] = w.row_stride != 0 ? w.row_stride : w.length;
    x->stride[1] = w.stride;
  }
  Planned out;
  weft::cuda::detail::RowPlan planner("test", task, kernel, device, out, out.operand);
  planner.read(operands, inside);
  out.launch = planner.plan();
  return out;
}

}  // namespace

TEST_CASE("threads that share a row follow its length") {
  CHECK(plan({1000, 1}).group == 1);
  CHECK(plan({1000, 20}).group <= 8);
  const Planned block = plan({1000, 8192});
  CHECK(block.group > 32);
  CHECK(block.group <= row_block);
  CHECK(block.group == block.launch.threads);
  CHECK_FALSE(block.cluster);
  for (const int64_t n : {1, 3, 31, 64, 127, 257, 1000, 8191, 70000}) {
    const Planned p = plan({77, n});
    CHECK(p.group * p.rows_a_block == p.launch.threads);
    CHECK(p.launch.blocks == (77 + p.rows_a_block - 1) / p.rows_a_block * p.parts.divisor);
    CHECK(p.launch.threads <= row_block);
    CHECK(p.warps * 32 >= p.group);
  }
}

TEST_CASE("long rows and few rows are shared by a cluster") {
  CHECK(plan({1000, 70000}).cluster);
  CHECK(plan({4, 40000}).cluster);
  CHECK(plan({4, 40000}).parts.divisor <= row_cluster);
  CHECK_FALSE(plan({4, 40000, 0, 1, 0, -1, false, 8}).cluster);  // no clusters before sm_90
  CHECK(plan({1000, 70000, 0, 1, 0, 0}).stage == RowLoops::whole);
  CHECK(plan({2, 700000, 0, 1, 0, 0}).stage == RowLoops::partial);
  CHECK(plan({2, 700000, 0, 1, 0, 0}).parts.divisor > 8);
}

TEST_CASE("what is read several times stays in shared memory, if it has memory and fits") {
  const Planned often = plan({1000, 8192});
  CHECK(often.slots == 1);
  CHECK(often.slot_kept[0]);
  CHECK(often.launch.shared_bytes >= 8192 * 4);
  const Planned once = plan({1000, 8192, 0, 1, 0, 0});
  CHECK((once.slots == 0 || !once.slot_kept[0]));
  CHECK(plan({1000, 8192, 0, 1, 0, -1, true}).slots == 0);
  for (const int64_t n : {16, 1000, 8192, 70000, 300000, 3000000}) {
    CHECK(plan({64, n}).launch.shared_bytes <= 227 * 1024);
  }
}

TEST_CASE("vectors are aligned with the output where its rows are not") {
  CHECK(plan({10, 1000}).head_operand == -1);
  CHECK(plan({10, 1000}).operand[0].access == RowOperand::whole_vector);
  for (const Planned& p :
       {plan({10, 1001}), plan({10, 1000, 0, 1, 4}), plan({10, 999, 1001, 1, 8})}) {
    CHECK(p.head_operand == 0);
    CHECK(p.operand[0].access == RowOperand::whole_vector);
  }
  CHECK(plan({10, 1000, 2000, 2}).operand[0].access == RowOperand::by_lane);
}

TEST_CASE("columns are taken by neighbouring threads") {
  const Planned p = plan({1000, 500, 1, 1000});
  CHECK(p.columns);
  CHECK(p.rows_a_block == 32);
  CHECK_FALSE(plan({1000, 500}).columns);
  CHECK_FALSE(plan({4, 500, 1, 4}).columns);
}

TEST_CASE("too many rows or elements is an error, not a wrong answer") {
  CHECK_SAYS("rows on CUDA, expected below 2^31", plan({int64_t{1} << 31, 8}));
}
