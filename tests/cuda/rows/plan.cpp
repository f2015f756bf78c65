// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/plan.hpp"

#include "test.hpp"

using weft::int64_t;
using weft::cuda::row_cluster;
using weft::cuda::row_loop_block;
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
  int narrow_lanes = 0;
  int itemsize = 4;  // of the leaf
};

Planned plan(const Work& w) {
  static const std::uint64_t uses[] = {2, 2, 2};
  weft::cuda::RowKernel kernel;
  kernel.outputs = 1;
  kernel.leaves = 1;
  kernel.reductions = 2;
  kernel.lanes = 4;
  kernel.loop_lanes = 8;
  kernel.narrow_lanes = w.narrow_lanes;
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
  operands[1].itemsize = w.itemsize;
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
  CHECK(block.group == block.launch.threads);
  CHECK_FALSE(block.cluster);
  for (const int64_t n : {1, 3, 31, 64, 127, 257, 1000, 8191, 70000}) {
    CAPTURE(n);
    const Planned p = plan({77, n});
    CHECK(p.group * p.rows_a_block == p.launch.threads);
    CHECK(p.launch.blocks == (77 + p.rows_a_block - 1) / p.rows_a_block * p.parts.divisor);
    CHECK(p.launch.threads <= row_loop_block);
    CHECK(p.warps * 32 >= p.group);
    CHECK(p.apart == p.group * p.parts.divisor);
  }
}

TEST_CASE("many rows that are only reduced have few threads each, with some 40 elements") {
  const auto reduced = [](int64_t rows, int64_t length, int itemsize, int target = 0) {
    Work w{rows, length};
    w.target = target;
    w.narrow_lanes = 8;
    w.itemsize = itemsize;
    return plan(w);
  };
  const int64_t many = 1 << 20;
  for (const int64_t length : {128, 197, 257, 320, 1000}) {
    CAPTURE(length);
    CHECK_FALSE(reduced(many, length, 4).launch.narrow);
    CHECK(reduced(many, length, 4).group == (length < 256 ? 4 : 8));
    CHECK(reduced(1000, length, 4).group >= 16);
  }
  CHECK(reduced(many, 64, 4).launch.narrow);
  CHECK(reduced(many, 64, 2).group == 2);
  CHECK(reduced(many, 32, 2).launch.narrow);
  CHECK(reduced(many, 320, 4, -1).group == 32);  // stored along the row, or read again
  CHECK(reduced(many, 128, 4, -1).launch.narrow);
}

TEST_CASE("few rows are shared by a cluster, or cut into pieces that a second kernel merges") {
  CHECK(plan({4, 40000}).cluster);
  CHECK(plan({4, 40000}).parts.divisor <= row_cluster);
  CHECK_FALSE(plan({1000, 70000}).cluster);
  CHECK_FALSE(plan({4, 40000, 0, 1, 0, -1, false, 8}).cluster);  // no clusters before sm_90
  CHECK(plan({1000, 70000, 0, 1, 0, 0}).stage == RowLoops::whole);
  const Planned pieces = plan({2, 700000, 0, 1, 0, 0});
  CHECK(pieces.stage == RowLoops::partial);
  CHECK_FALSE(pieces.cluster);
  CHECK(pieces.parts.divisor > row_cluster);
  CHECK(pieces.splits == pieces.parts.divisor);
  CHECK(plan({2, 700000}).stage == RowLoops::whole);  // its second reduction needs the first
}

TEST_CASE("vectors are moved at once where all of them are full and aligned") {
  CHECK(plan({10, 1000}).blocked);
  CHECK(plan({10, 1000}).vectors == 3);
  CHECK_FALSE(plan({10, 1001}).blocked);
  CHECK_FALSE(plan({10, 1000, 0, 1, 4}).blocked);
  CHECK_FALSE(plan({10, 1000, 2000, 2}).blocked);
}

TEST_CASE("few long columns lie side by side in a block, whatever their number is") {
  const auto columns = [](int64_t n, int64_t length, int target) {
    Work w{n, length, 1, n};
    w.target = target;
    return plan(w);
  };
  for (int64_t n = 8; n < 600; ++n) {
    CAPTURE(n);
    const Planned p = columns(n, 1 << 22, 0);
    REQUIRE(p.columns);
    if (p.width.divisor == 1) {
      CHECK(p.group * p.rows_a_block == p.launch.threads);
      CHECK((n > 128 || n * 10 > (n + 31) / 32 * 32 * 8));
      continue;
    }
    CHECK(n < 128);
    CHECK(p.width.divisor == n);
    CHECK(p.rows_a_block == n);
    CHECK(p.group * n <= p.launch.threads);
    CHECK((p.group + 1) * n > p.launch.threads);
    CHECK(p.stage == RowLoops::partial);
    CHECK_FALSE(p.cluster);
    CHECK(p.launch.blocks == p.parts.divisor);
    CHECK(p.apart == p.group * p.parts.divisor);
    CHECK(2 * p.scratch == p.launch.shared_bytes);
    CHECK(p.scratch >= 8 * p.launch.threads);
  }
  CHECK(columns(17, 1 << 22, 0).width.divisor == 17);
  CHECK(columns(32, 1 << 22, 0).width.divisor == 1);
  CHECK(columns(17, 4000, 0).width.divisor == 1);      // short ones: clusters
  CHECK(columns(17, 1 << 22, -1).width.divisor == 1);  // its second reduction needs the first
}

TEST_CASE("columns are taken by neighbouring threads") {
  const Planned p = plan({1000, 500, 1, 1000});
  CHECK(p.columns);
  CHECK(p.rows_a_block == 32);
  CHECK(plan({1000, 8, 1, 1000}).group == 1);
  CHECK_FALSE(plan({1000, 500}).columns);
  CHECK_FALSE(plan({4, 500, 1, 4}).columns);
}

TEST_CASE("short rows have all their elements in the threads at once") {
  const auto short_rows = [](int64_t n, bool columns) {
    Work w{1000, n, columns ? 1 : 0, columns ? 1000 : 1};
    w.narrow_lanes = 8;
    return plan(w);
  };
  for (const int64_t n : {1, 3, 8, 9, 33, 64, 100, 255, 256}) {
    CAPTURE(n);
    const Planned p = short_rows(n, false);
    CHECK(p.launch.narrow);
    CHECK(int64_t{p.group} * 8 >= n);
    CHECK(p.group <= 32);
  }
  CHECK_FALSE(short_rows(257, false).launch.narrow);
  CHECK(short_rows(8, true).launch.narrow);
  CHECK(short_rows(9, true).group == 2);
  CHECK(short_rows(16, true).launch.narrow);
  CHECK_FALSE(short_rows(17, true).launch.narrow);
  CHECK(short_rows(31, true).group == 1);  // longer ones: eight items of four for each thread
  CHECK(short_rows(64, true).group == 2);
}

TEST_CASE("L2 fetches rows of elements that do not cross its words") {
  const auto fetched = [](int itemsize) {
    Work w{1000, 8192};
    w.itemsize = itemsize;
    return plan(w).fetched;
  };
  CHECK(fetched(4) == 2);
  CHECK(fetched(16) == 2);
  CHECK(fetched(12) == 0);  // Small<float, 3>
  CHECK(fetched(36) == 0);  // Small<float, 3, 3>
}

TEST_CASE("too many rows or elements is an error, not a wrong answer") {
  CHECK_SAYS("rows on CUDA, expected below 2^31", plan({int64_t{1} << 31, 8}));
}

TEST_CASE("rows of two dimensions: the busiest thread has few more elements than its share") {
  // x (n, c, p), over n and p, is read by a reduction and an output.
  const auto planned = [](int64_t n, int64_t c, int64_t p, int itemsize) {
    static const std::uint64_t uses[] = {2, 2};
    weft::cuda::RowKernel kernel;
    kernel.outputs = kernel.leaves = kernel.reductions = 1;
    kernel.loop_lanes = kernel.narrow_lanes = 8;
    kernel.state_bytes = 12;
    kernel.uses = uses;
    weft::detail::RowTask task;
    task.geometry = {{c}, {n, p}};
    task.mode[0] = RowMode::compute;
    task.along_row[0] = true;
    weft::cuda::Properties device;
    device.major = 9;
    device.multiprocessors = 132;
    Operand operands[3];
    Operand inside[3];
    for (Operand& x : operands) {
      for (int64_t& s : x.stride) s = 0;
      x.itemsize = itemsize;
    }
    for (Operand* x : {&operands[0], &operands[1]}) {
      x->data = reinterpret_cast<char*>(4096);
      x->stride[0] = p;
      x->stride[1] = c * p;
      x->stride[2] = 1;
    }
    Planned out;
    weft::cuda::detail::RowPlan planner("test", task, kernel, device, out, out.operand);
    planner.read(operands, inside);
    for (const unsigned parts : {8U, 16U}) out.launch = planner.plan(parts);  // may be asked twice
    return out;
  };
  struct Case {
    int64_t n, c, p;
    int itemsize;
    bool blocked, turned;
  };
  for (const Case& k :
       {Case{68, 512, 784, 2, true, false}, Case{29843, 16, 49, 4, false, true},
        Case{64, 256, 3136, 4, true, false}, Case{256, 512, 196, 2, false, true},
        Case{100, 96, 3025, 4, false, true}, Case{64, 2048, 49, 2, false, true},
        Case{128, 64, 12544, 4, true, false}, Case{2, 96, 100003, 4, false, false}}) {
    CAPTURE(k.n);
    CAPTURE(k.p);
    const Planned p = planned(k.n, k.c, k.p, k.itemsize);
    CHECK(p.blocked == k.blocked);
    CHECK(p.turned == k.turned);
    CHECK(int64_t{p.inner} == (k.turned ? k.n : k.p));
    CHECK(int64_t{p.outer} == (k.turned ? k.p : k.n));
    CHECK(p.operand[1].reduced_stride[k.turned ? 1 : 0] == k.itemsize);
    const unsigned threads = p.group * p.parts.divisor;
    CHECK(p.apart * p.outer_stride <= threads);
    CHECK(p.across.divisor == (k.turned ? p.outer_stride : p.apart));
    const unsigned lanes = k.blocked ? 8 : 1;
    const unsigned along = (p.inner / lanes + p.apart - 1) / p.apart * lanes;
    const unsigned others = (p.outer + p.outer_stride - 1) / p.outer_stride;
    if (k.blocked) {
      CHECK((p.apart & (p.apart - 1)) == 0);
    } else {
      CHECK(int64_t{(along + 7) / 8 * others} * 8 * threads < k.n * k.p * 5 / 4 + 8 * threads);
    }
  }
}
