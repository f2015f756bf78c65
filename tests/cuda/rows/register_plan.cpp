// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/register_plan.hpp"

#include "test.hpp"

using weft::int64_t;
using weft::cuda::row_block;
using weft::cuda::RowLaunch;
using weft::cuda::RowLoops;
using weft::cuda::RowOperand;
using weft::detail::Operand;
using weft::detail::RowMode;

namespace {

struct Planned : RowLoops {
  RowOperand operand[4];  // output, two leaves, reduction
  RowLaunch launch;
};

struct Work {
  int64_t rows;
  int64_t length;
  int64_t offset = 0;     // of the leaves from an aligned address, in bytes
  bool same = true;       // whether the leaves are one operand
  bool along_row = true;  // whether the output has an element for each of the row
  bool independent = false;
  int major = 9;
  bool two = false;  // whether the reduction reads both leaves, and the kernel keeps two operands
  double bandwidth = 0;
  int part = -1;         // the weight of a part that is computed first; negative: there is none
  int64_t borrowed = 0;  // bytes of the leaves' memory, where it is not weft's
};

/// A reduction that reads the first leaf, and an output that reads the second.
Planned plan(const Work& w) {
  static const std::uint64_t one[] = {2, 4};
  static const std::uint64_t both[] = {6, 4};
  weft::cuda::RowKernel kernel;
  kernel.outputs = 1;
  kernel.leaves = 2;
  kernel.reductions = 1;
  kernel.lanes = 4;
  kernel.narrow_lanes = 8;
  kernel.state_bytes = 8;
  kernel.uses = w.two ? both : one;
  kernel.registers.vectors = 8;
  kernel.registers.may_keep = 6;
  kernel.registers.always_kept = w.two ? 6 : 2;
  kernel.registers.slots = w.two ? 2 : 1;
  kernel.registers.independent = w.independent;
  if (w.part >= 0) {
    kernel.registers.may_keep = kernel.registers.always_kept = 0;
    kernel.registers.computes = [](const void*, const RowLoops&, const RowOperand*) {
      return true;
    };
    kernel.registers.part_weight = w.part;
  }
  weft::detail::RowTask task;
  task.geometry = {{w.rows}, {w.length}};
  task.mode[0] = RowMode::compute;
  task.along_row[0] = w.along_row;
  weft::cuda::Properties device;
  device.major = w.major;
  device.multiprocessors = 132;
  device.bandwidth = w.bandwidth;
  device.shared_memory_per_block = 227 * 1024;
  Operand operands[4];
  Operand inside[4];
  for (int i = 0; i < 4; ++i) {
    for (int64_t& s : operands[i].stride) s = 0;
    operands[i].itemsize = 4;
    operands[i].data = reinterpret_cast<char*>(4096);
  }
  for (int i = 0; i < 3; ++i) {
    operands[i].stride[0] = w.length;
    operands[i].stride[1] = 1;
  }
  operands[1].data += w.offset;
  operands[2].data += w.same ? w.offset : 65536;
  weft::Storage memory;
  memory.data = reinterpret_cast<char*>(4096);
  memory.bytes = w.borrowed;
  memory.borrowed = true;
  if (w.borrowed > 0) operands[1].storage = operands[2].storage = &memory;
  Planned out;
  out.launch = weft::cuda::detail::plan_row_program("test", task, kernel, nullptr, device, operands,
                                                    inside, out, out.operand, nullptr);
  return out;
}

}  // namespace

TEST_CASE("rows are kept in registers, as vectors where they are full and aligned") {
  CHECK(plan({1000, 8192}).launch.registers);
  CHECK_FALSE(plan({1000, 8192}).ragged);
  CHECK(plan({1000, 64}).launch.registers);
  CHECK(plan({1000, 8191}).launch.registers);
  CHECK(plan({1000, 8191}).ragged);
  CHECK(plan({1000, 8192, 4}).launch.registers);
  CHECK(plan({1000, 8192, 4}).ragged);
  CHECK(plan({1000, 9}).ragged);
  CHECK(plan({1000, 9}).group == 2);
  CHECK_FALSE(plan({1000, 7}).launch.registers);  // rows for another kernel
}

TEST_CASE("ragged rows: vectors begin where those of what is kept are aligned") {
  for (const int64_t n : {257, 511, 1001, 5003, 32767, 100003}) {
    CAPTURE(n);
    const Planned p = plan({3000, n});
    CHECK(p.launch.registers);
    CHECK(p.length == static_cast<unsigned>((n + 3 + 3) / 4));  // where but one lane begins it
    CHECK(p.stride.divisor * p.chunk >= p.length);
    CHECK(p.chunk <= 8);
    CHECK(p.origin == 1);
    CHECK(p.operand[0].access == RowOperand::whole_vector);
    CHECK(p.operand[0].hop == 4);
    CHECK(p.operand[0].step == 16 * int64_t{p.stride.divisor});
  }
  const Planned other = plan({3000, 1001, 4, false});
  CHECK(other.operand[0].access == RowOperand::by_element);
  CHECK(other.operand[1].access == RowOperand::kept);
  CHECK(other.operand[2].access == RowOperand::by_element);
  CHECK(plan({3000, 1001, 16, false}).operand[2].access == RowOperand::whole_vector);
}

TEST_CASE("the threads of a row keep all of it") {
  for (const int64_t n : {4, 16, 64, 128, 512, 1000, 1024, 5000, 8192, 32768, 131072}) {
    CAPTURE(n);
    const Planned p = plan({3000, n});
    CHECK(p.launch.registers);
    CHECK(p.launch.threads <= row_block);
    CHECK(int64_t{p.stride.divisor} * 8 * 4 >= n);
    CHECK(p.chunk <= 8);
    CHECK(p.group * p.rows_a_block == p.launch.threads);
    CHECK(p.launch.blocks == (3000 + p.rows_a_block - 1) / p.rows_a_block * p.parts.divisor);
  }
  CHECK(plan({3000, 32768}).cluster);
  CHECK_FALSE(plan({3000, 32768, 0, true, true, false, 8}).launch.registers);  // no clusters
  CHECK_FALSE(plan({3000, 1 << 20}).launch.registers);
}

TEST_CASE("the plan says why rows do not stay in registers") {
  const auto refused = [](const Work& w) { return doctest::String(plan(w).launch.refused); };
  CHECK(plan({1000, 8192}).launch.refused == nullptr);
  CHECK(refused({3000, 1 << 20}) == "rows are too long");
  CHECK(refused({1000, 0}) == "rows are empty");
  CHECK(refused({.rows = 1000, .length = 1001, .offset = 4, .same = false, .two = true}) ==
        "its reductions read operands that begin at different elements");
  const std::int64_t bytes = std::int64_t{4} * 1000 * 1001;  // 32 more than whole vectors
  CHECK(plan({.rows = 1000, .length = 1001, .borrowed = bytes + 32}).launch.registers);
  CHECK(refused({.rows = 1000, .length = 1001, .borrowed = bytes}) ==
        "its reductions read borrowed memory that ends within a vector");
  CHECK(plan({.rows = 1000, .length = 1024, .borrowed = 4096000}).launch.registers);
}

TEST_CASE("of few rows each has as many threads as have work") {
  CHECK(plan({32, 192}).group == 16);  // a thread goes over four vectors at least
  CHECK(plan({32, 64}).group == 4);
  CHECK(plan({3000, 192}).group == 8);  // with 16, a quarter of these would be empty
}

TEST_CASE("of many rows each has as few threads as keep it") {
  CHECK(plan({1000, 512}).group == 32);
  CHECK(plan({1 << 20, 512}).group == 16);
  CHECK(plan({1 << 20, 64}).group == 2);
  CHECK(plan({1 << 20, 32}).group == 2);    // alone, a thread would read whole lines
  CHECK(plan({1 << 20, 16}).group == 2);    // of the kernel for short rows
  CHECK(plan({1 << 20, 320}).group == 16);  // with 12 threads none would be empty
}

TEST_CASE("many short rows have threads that neither memory nor instructions wait for") {
  const auto group = [](int64_t length, bool same, bool along_row) {
    return plan({.rows = 1 << 20,
                 .length = length,
                 .same = same,
                 .along_row = along_row,
                 .bandwidth = 3.35e12})
        .group;
  };
  CHECK(group(64, true, true) == 4);  // with 2, a line would be read and written in four parts
  CHECK(group(32, true, true) == 2);
  CHECK(group(24, true, true) == 2);
  CHECK(group(128, true, true) == 4);
  CHECK(group(1024, true, true) == 32);
  CHECK(group(64, false, true) == 4);
  CHECK(group(16, true, false) == 1);
  CHECK(group(48, true, false) == 2);
  const auto of_part = [](int weight) {
    return plan({1 << 20, 16, 0, false, true, false, 9, false, 3.35e12, weight}).group;
  };
  CHECK(of_part(0) == 2);
  CHECK(of_part(16) == 1);
}

TEST_CASE("many rows that end within sectors are not stored by few threads") {
  const auto group = [](int64_t length, bool along_row) {
    return plan({.rows = 1 << 20, .length = length, .along_row = along_row, .bandwidth = 3.35e12})
        .group;
  };
  CHECK(group(50, true) == 4);
  CHECK(group(50, false) == 2);
  CHECK(group(100, true) == 8);
  CHECK(group(96, true) == 4);
  CHECK(group(17, true) == 2);
}

TEST_CASE("the kernel for short rows serves where it takes no more threads") {
  const auto launch = [](int64_t rows, int64_t length, bool along_row = true) {
    return plan({.rows = rows, .length = length, .along_row = along_row, .bandwidth = 3.35e12})
        .launch;
  };
  CHECK(launch(1 << 20, 10).narrow);
  CHECK(launch(1 << 20, 16).narrow);
  CHECK(launch(1 << 20, 31).narrow);
  CHECK(launch(1 << 20, 17).registers);
  CHECK(launch(1 << 20, 12).registers);  // by one thread
  CHECK(launch(1 << 20, 16, false).registers);
  CHECK(launch(1 << 20, 64).registers);
  CHECK(launch(1000, 10).registers);
}

TEST_CASE("what reductions need only once may be longer") {
  const Planned p = plan({3000, 1 << 20, 0, true, false, true});
  CHECK(p.launch.registers);
  CHECK_FALSE(p.cluster);
  CHECK(p.chunk > 8);
  CHECK_FALSE(plan({3000, 1 << 20, 0, true, true, true}).launch.registers);
  // Of few rows pieces, which the looped kernel has, fill the GPU where clusters do not.
  CHECK(plan({1, 1 << 16, 0, true, false, true}).launch.registers);
  CHECK_FALSE(plan({1, 1 << 24, 0, true, false, true}).launch.registers);
  CHECK_FALSE(plan({8, 1 << 24, 0, true, false, true}).launch.registers);
  CHECK(plan({132, 1 << 24, 0, true, false, true}).launch.registers);
}

TEST_CASE("an operand is kept, another is read where it lies") {
  const Planned same = plan({1000, 8192});
  CHECK(same.operand[1].access == RowOperand::kept);
  CHECK(same.operand[2].access == RowOperand::kept);
  const Planned other = plan({1000, 8192, 0, false});
  CHECK(other.operand[1].access == RowOperand::kept);
  CHECK(other.operand[2].access == RowOperand::whole_vector);
}

TEST_CASE("two operands are kept where reductions read both") {
  Work work{1000, 8192, 0, false};
  work.two = true;
  const Planned two = plan(work);
  CHECK(two.launch.registers);
  CHECK(two.operand[1].access == RowOperand::kept);
  CHECK(two.operand[2].access == RowOperand::kept_second);
  CHECK(two.sources == 2);
  CHECK(two.launch.keeps_two);
  work.same = true;
  const Planned one = plan(work);
  CHECK(one.operand[2].access == RowOperand::kept);
  CHECK(one.sources == 1);
  CHECK_FALSE(one.launch.keeps_two);
  work = {1000, 1001, 0, false};
  work.two = true;
  CHECK(plan(work).launch.registers);  // ragged, in step
  CHECK(plan(work).operand[2].access == RowOperand::kept_second);
  work.offset = 4;
  CHECK_FALSE(plan(work).launch.registers);
}

TEST_CASE("few rows are shared by a cluster") {
  CHECK(plan({4, 32768}).parts.divisor > plan({3000, 32768}).parts.divisor);
}

TEST_CASE("blocks have L2 fetch rows of later ones where they write rows too") {
  for (const int64_t n : {2048, 4096, 8192}) {
    CAPTURE(n);
    const Planned p = plan({16384, n});
    const int64_t bytes = int64_t{p.ahead} * n * 4;
    CHECK(bytes >= int64_t{132} * 32 * 1024);
    CHECK(bytes < int64_t{132} * 32 * 1024 + n * 4);
  }
  CHECK(plan({100, 8192}).ahead == 0);                             // all run at once
  CHECK(plan({1 << 20, 64}).ahead == 0);                           // several in a block
  CHECK(plan({3000, 32768}).ahead == 0);                           // several blocks to a row
  CHECK(plan({16384, 8192, 0, true, false}).ahead == 0);           // none is written
  CHECK(plan({16384, 8192, 0, true, true, false, 8}).ahead == 0);  // not before Hopper
}
