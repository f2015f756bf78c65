// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/kernel_operands.hpp>

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
