// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/row_kernel.hpp>

#include <string>

#include "test.hpp"
#include "weft/weft.hpp"

using namespace weft::detail;
using weft::Explanation;
using weft::Shape;

namespace {

/// The task of x / sum(x) + b over 3 rows of 5, in memory that nothing reads.
struct Example {
  char memory[512] = {};
  Operand operands[4];
  RowTask task;
  const char* outs[1] = {"float32"};
  const char* leaves[2] = {"float32", "float32"};
  const char* names[1] = {"sum"};
  const char* values[1] = {"float32"};
  std::uint64_t uses[2] = {0b10, 0b110};
  weft::ElementCost costs[2];
  Explanation found;
  std::vector<int> kernel_of{-1};

  Example() {
    for (int i = 0; i < 3; ++i) operands[i].set(memory + 100 * i, 4, {3, 5}, {5, 1}, nullptr);
    operands[3].set(memory + 400, 4, {3, 1}, {1, 1}, nullptr);
    operands[3].broadcast_to({3, 5});
    task.geometry.kept = {3};
    task.geometry.reduced = {5};
    task.along_row[0] = true;
    costs[0].slots = 1;
    costs[1].slots = 2;
  }
  const Explanation::Kernel& kernel() {
    const RowTaskView view{task, operands, outs, 1, leaves, 2, names, values, 1, uses, costs};
    view.add_to(found, kernel_of);
    return found.kernels.back();
  }
};

}  // namespace

TEST_CASE("a row program reads its operands and writes its outputs") {
  Example example;
  example.task.mode[0] = RowMode::compute;
  const Explanation::Kernel& kernel = example.kernel();
  CHECK(kernel.kind == "row program");
  CHECK(std::string(kernel.work.c_str()) == "over 3 rows of 5: sum");
  CHECK(kernel.reads.size() == 2);
  CHECK(kernel.writes.size() == 1);
  CHECK(kernel.reductions == 1);
  CHECK(kernel.cost.slots == 3);
  CHECK(example.kernel_of[0] == 0);
}

TEST_CASE("a reduction that runs before writes its values, which the row program reads") {
  Example example;
  example.task.mode[0] = RowMode::compute;
  example.task.target = 0;
  const Explanation::Kernel& before = example.kernel();
  CHECK(before.kind == "reduction of rows");
  CHECK(before.reads.size() == 1);
  CHECK(before.writes[0].bytes == 12);
  CHECK(before.cost.slots == 1);

  example.task.mode[0] = RowMode::load;
  example.task.target = -1;
  const Explanation::Kernel& kernel = example.kernel();
  CHECK(kernel.kind == "row program");
  CHECK(kernel.reads.size() == 3);
  CHECK(kernel.reads[2].bytes == 12);
  CHECK(kernel.cost.slots == 2);
  CHECK(example.found.repeated == 0);
}
