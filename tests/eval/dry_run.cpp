// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/dry_run.hpp>

#include "test.hpp"
#include "weft/explain.hpp"

using namespace weft::detail;
using weft::Explanation;
using weft::Shape;

TEST_CASE("operands count distinct elements, and themselves once") {
  std::vector<Explanation::Operand> list;
  char memory[64] = {};
  Operand x;
  x.set(memory, 4, {3, 1}, {1, 1}, nullptr);
  x.broadcast_to({3, 5});
  add_operand(list, x, "float32", {3, 5}, "");
  add_operand(list, x, "float32", {3, 5}, "");
  CHECK(list.size() == 1);
  CHECK(list[0].bytes == 12);
  CHECK(list[0].occurrences == 2);
  CHECK(list[0].shape == Shape{3, 1});
  add_operand(list, x, "int32", {3, 5}, "");
  CHECK(list.size() == 2);
  add_operand(list, x, nullptr, {3, 5}, "");
  CHECK(list.size() == 2);
}

TEST_CASE("memory of a dry run is nowhere, aligned and told apart") {
  Explanation out;
  std::vector<int> kernel_of;
  const DryRun<weft::Cpu> dry{{}, &out, &kernel_of};
  const weft::StorageHandle a(weft::Memory<DryRun<weft::Cpu>>::allocate(dry, 100));
  out.kernels.emplace_back();
  const weft::StorageHandle b(weft::Memory<DryRun<weft::Cpu>>::allocate(dry, 100));
  CHECK(a->data != b->data);
  CHECK(reinterpret_cast<std::uintptr_t>(a->data) % 512 == 0);
  Operand x;
  x.set(a->data, 4, {}, {}, a.get());
  CHECK(is_temporary(x));
  x.storage = nullptr;
  CHECK(!is_temporary(x));
}
